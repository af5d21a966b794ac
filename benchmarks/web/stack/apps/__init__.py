"""One service with six frameworks: /row, a random row of the database as JSON; /json, a constant; /pid, who answers.

They are run by the servers of others, and import nothing of ours but the two files here that ask the database: `plain`
and `awaited`, one query for each row, through at most as many connections as `question` says.
"""
