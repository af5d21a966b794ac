"""A web service as it is run: nginx, in front of a server with a framework, PgBouncer, and PostgreSQL behind it.

    components     where the three programs are; they are not Python's, so they may be missing
    account        as whom they run: PostgreSQL and PgBouncer refuse root
    component      one of them as a process that ends with this one, whatever ends it
    cluster        PostgreSQL's data, made once and kept in `.python/web`
    postgres, pgbouncer, nginx     how each is configured, started, found ready and ended
    database       the least of PostgreSQL's protocol: one query, its rows as text
    stack          the three together

    rows           the servers that are measured in it, with `apps`, their applications
    cells, past    what is measured of them, and what an article has measured
    calls          how: one query for each answer, and what each part takes

Everything listens on 127.0.0.1 alone, on ports that the kernel has chosen. Nothing here is fit for production: no
passwords, and nothing of the data survives a power cut.
"""
