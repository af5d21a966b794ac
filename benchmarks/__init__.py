"""Measurements: what the library's rings are held against."""
