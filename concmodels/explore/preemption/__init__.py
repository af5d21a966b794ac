"""Plain Python, preempted between two instructions, and data races in it.

Its parts, the lower ones first:

    table.py          what is known of functions, methods and modules of Python's own library
    opcodes.py        what each instruction of CPython can access
    expressions.py    what finds the value of an expression in a frame, without any effect
    things.py         what can change of a value
    operands.py       the values that an instruction reads
    site.py           an instruction that accesses what tasks may share
    names.py          which names of a file stand for the same wherever they are used
    private.py        which local containers no other task can have
    nodes.py          the expressions that the instructions belong to
    patterns.py, calls.py, containers.py
                      which instructions of `match` statements, of calls and of other expressions are sites
    sites.py          all sites of a program
    common.py         what functions of the library share besides objects: files
    access.py         an access: of a variable, or of a part of a container
    namespaces.py     dicts of attributes and of global variables: whose items are variables
    by_name.py        what `getattr` and its kind access
    call_accesses.py  what a call is about to access
    accesses.py       what any instruction is about to access
    waits.py          which accesses nothing orders but a clock
    races.py          which accesses nothing orders, by vector clocks
    monitoring.py     the callbacks of `sys.monitoring`
    following.py      the same for event loops: what a whole callback accesses
"""
