"""A row of the database, for those who await it."""

import asyncio

from psycopg_pool import AsyncConnectionPool

from benchmarks.web.stack.apps import question

_pool = None
_opening = asyncio.Lock()


async def row():
    """Return a random row as the service shows it."""
    pool = _pool or await _opened()
    async with pool.connection() as connection:
        cursor = await connection.execute(question.TEXT, question.key())
        return question.answer(await cursor.fetchone())


async def _opened():
    """Return the pool; the first who needs it opens it, in the loop in which it is used."""
    global _pool
    async with _opening:
        if _pool is None:
            number = question.CONNECTIONS
            pool = AsyncConnectionPool(
                question.DATABASE, min_size=number, max_size=number, kwargs=question.OPTIONS, open=False
            )
            await pool.open(wait=True)
            _pool = pool
    return _pool
