"""Thread-1 reads; Thread-2 reads, and writes 1; Thread-1 writes 1 too."""

SCHEDULE = "3.14-6e0609-a-2@2"
