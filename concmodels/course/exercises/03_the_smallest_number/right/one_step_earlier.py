"""The last two switches come a step earlier than in the solution, and 2 comes out all the same."""

SMALLEST = 2
SCHEDULE = "3.14-526e1e-a-2@2,7@1,8@2,9@1"
