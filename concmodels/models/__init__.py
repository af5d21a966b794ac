"""The models, one file each; in the folders is what they share."""

from os import sep

FOLDER = __path__[0] + sep
"""Where they are: a frame whose code comes from here belongs to the library, not to the program that uses it."""
