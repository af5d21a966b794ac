"""Plain Python, preempted between two instructions, and data races in it.

Its parts, the lower ones first:

    opcodes.py        what each instruction of CPython can access
    expressions.py    what finds the value of an expression in a frame, without any effect
    things.py         what can change of a value
    operands.py       the values that an instruction reads
    sites.py          the instructions that access what tasks may share, and the expressions that they belong to
    accesses.py       what an instruction is about to access
    races.py          which accesses nothing orders, by vector clocks
    monitoring.py     the callbacks of `sys.monitoring`
"""
