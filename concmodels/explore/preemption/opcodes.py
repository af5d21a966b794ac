"""The instructions of CPython, by what they can access of what tasks share; with an unknown one, nothing is proved.

`sites.py` looks at those that can access a variable, an attribute or what a container holds. The others can't, or call
functions whose own instructions are looked at.
"""

_LOOKED_AT = """
    BINARY_OP BINARY_SLICE BUILD_MAP BUILD_SET CALL CALL_FUNCTION_EX CALL_KW COMPARE_OP CONTAINS_OP CONVERT_VALUE
    DELETE_ATTR DELETE_DEREF DELETE_GLOBAL DELETE_SUBSCR DICT_MERGE DICT_UPDATE FORMAT_SIMPLE FORMAT_WITH_SPEC FOR_ITER
    GET_ITER GET_LEN GET_YIELD_FROM_ITER IMPORT_FROM LIST_EXTEND LOAD_ATTR LOAD_DEREF LOAD_GLOBAL LOAD_SUPER_ATTR
    MAP_ADD MATCH_CLASS MATCH_KEYS SEND SET_ADD SET_UPDATE STORE_ATTR STORE_DEREF STORE_GLOBAL STORE_SLICE STORE_SUBSCR
    TO_BOOL UNPACK_EX UNPACK_SEQUENCE
"""
"""Instructions of which some are sites."""

_OF_THE_FRAME = """
    ANNOTATIONS_PLACEHOLDER COPY COPY_FREE_VARS DELETE_FAST END_FOR END_SEND LOAD_CLOSURE LOAD_COMMON_CONSTANT
    LOAD_CONST LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW LOAD_FAST_CHECK
    LOAD_FAST_LOAD_FAST LOAD_LOCALS LOAD_SMALL_INT MAKE_CELL POP_EXCEPT POP_ITER POP_TOP PUSH_EXC_INFO PUSH_NULL
    SETUP_ANNOTATIONS STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_MAYBE_NULL STORE_FAST_STORE_FAST SWAP
"""
"""They access what is in the frame of one call: local variables, constants, the stack. A cell is made, or handed on."""

_GO_ON = """
    CACHE CHECK_EG_MATCH CHECK_EXC_MATCH CLEANUP_THROW END_ASYNC_FOR ENTER_EXECUTOR EXIT_INIT_CHECK EXTENDED_ARG
    INTERPRETER_EXIT IS_OP JUMP JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD JUMP_IF_FALSE JUMP_IF_TRUE
    JUMP_NO_INTERRUPT NOP NOT_TAKEN POP_BLOCK POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
    POP_JUMP_IF_TRUE RAISE_VARARGS RERAISE RESERVED RESUME RETURN_GENERATOR RETURN_VALUE SETUP_CLEANUP
    SETUP_FINALLY SETUP_WITH TRACE_RECORD UNARY_NOT YIELD_VALUE
"""
"""They decide where to go on, and look at nothing but what is true, an identity, or an exception's type."""

_MAKE = """
    BUILD_INTERPOLATION BUILD_LIST BUILD_SLICE BUILD_STRING BUILD_TEMPLATE BUILD_TUPLE
    CALL_INTRINSIC_1 CALL_INTRINSIC_2 LIST_APPEND LOAD_BUILD_CLASS MAKE_FUNCTION MATCH_MAPPING
    MATCH_SEQUENCE SET_FUNCTION_ATTRIBUTE UNARY_INVERT UNARY_NEGATIVE
"""
"""They make something new of what is on the stack, and don't look into it; or add to what is new."""

_CALL_METHODS = """
    GET_AITER GET_ANEXT GET_AWAITABLE LOAD_SPECIAL WITH_EXCEPT_START
"""
"""They call special methods: of the program, which are looked at themselves, or of what the explorer simulates."""

_OF_BODIES = """
    DELETE_NAME IMPORT_NAME LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_NAME STORE_NAME
"""
"""They are in the bodies of modules and classes, which are executed by one task."""

KNOWN = frozenset(f"{_LOOKED_AT} {_OF_THE_FRAME} {_GO_ON} {_MAKE} {_CALL_METHODS} {_OF_BODIES}".split())

_ONLY_TOLD = frozenset(
    {
        "__name__", "__qualname__", "__doc__", "__module__", "__wrapped__", "__signature__", "__annotations__",
        "__annotate__", "__type_params__",
        "__cause__", "__context__", "__traceback__", "__suppress_context__", "__notes__",
    }
)  # fmt: skip
"""Special attributes that Python itself does not look up to call an object, to compare it, or to find its others."""


def is_looked_up(name: str) -> bool:
    """Return whether Python itself may look up an attribute of this name, which no instruction names then."""
    return name.startswith("__") and name.endswith("__") and name not in _ONLY_TOLD
