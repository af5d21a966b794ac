"""The models, one file each; in the folders is what they share."""

from os import sep

FOLDER = __path__[0] + sep
"""Their folder: a frame whose code comes from here belongs to the library, not to the program that uses it."""

tools: list[str] = []
"""The packages of this project that run programs and are no part of them. Each enters itself when it is imported."""
