"""The exception that means "cancelled" is the backend's: ask for it at run time, don't import it."""

import anyio


async def main() -> str:
    cancelled = anyio.get_cancelled_exc_class()
    return f"{cancelled.__module__}.{cancelled.__qualname__}"


if __name__ == "__main__":
    for backend in ("asyncio", "trio"):
        print(f"{backend}: {anyio.run(main, backend=backend)}")
