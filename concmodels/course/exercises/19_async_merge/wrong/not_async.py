"""Diagnosis: merge is no `async def` function"""


def merge(model, one, other, out):
    out.close()
