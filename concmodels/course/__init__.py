"""A course of exercises: each is checked on every schedule, then on the real models.

    python -m concmodels.course start 2
    python -m concmodels.course check --watch

A student writes a class or a few functions. The check has the main function and the assertions, explores them with the
student's file, and says of a wrong answer what is wrong with it. The modules of the package:

    exercise.py     an exercise, read from its folder
    catalogue.py    all exercises
    checking.py     an answer, step by step
    causes.py       why a schedule has failed: which lock is missing, who waits for whom
    verdict.py      the verdict on it
    progress.py     the files in the student's folder, and what has been done there
    isolated.py     a check in a process of its own; child.py is that process, limits.py what it may use
    grading.py      hand-ins, many at a time; outputs.py: files of their grades
    alike.py        hand-ins that differ in names alone
    hand_out.py     what teachers give to students
    exam.py         an exam of a session, from wrong answers and their schedules
    selftest.py     all answers that an exercise comes with, right and wrong
    command.py      the command line
    exercises/      for each: task.md, start.py, solution.py, check.py, exercise.toml, right/, wrong/
"""
