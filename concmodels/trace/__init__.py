"""Traces: what each task of a run did, when, and which message went where, recorded into one file."""
