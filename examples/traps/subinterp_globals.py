"""A function that only sets a global sets another one: it travels without the module that it belongs to."""

from concurrent import interpreters

KEPT: object = None


def keep(value: object) -> None:
    global KEPT
    KEPT = value


def keep_and_look(value: object) -> object:
    global KEPT
    before, KEPT = KEPT, value
    return before


def kept() -> object:
    return KEPT


def main() -> None:
    import subinterp_globals as module  # this file, under a name that can be imported

    other = interpreters.create()
    other.call(module.keep, 7)
    print("after keep(7):          module.KEPT is", other.call(module.kept))
    other.exec("print('                        __main__.KEPT is', KEPT)")
    other.call(module.keep_and_look, 8)
    print("after keep_and_look(8): module.KEPT is", other.call(module.kept))
    other.close()


if __name__ == "__main__":
    main()
