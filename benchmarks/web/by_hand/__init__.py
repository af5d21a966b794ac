"""The service by hand: the least that a model or a library needs for it, and nothing of ours.

`python -m benchmarks.web.by_hand.threads PORT` serves two pages, `/json`, and `/io`, which sleeps for 10 ms. They read
no more of a request than its path, and end as a program without handlers ends. So none can be a server for anything
else; what ours costs beside them is the price of what they leave out.
"""
