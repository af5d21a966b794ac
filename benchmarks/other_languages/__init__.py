"""The same ring in Go and in Erlang, built with the toolchain that is on this machine.

    build(language, folder) -> Path                                      what to hand to the other two
    stream(language, program, nodes, messages, capacity=0) -> Outcome    all messages under way
    token(language, program, nodes, messages) -> Outcome                 one message under way

    with tempfile.TemporaryDirectory() as folder:
        program = other_languages.build("go", folder)
        seconds = other_languages.stream("go", program, 300, 10_000, capacity=128).seconds

An `Outcome` has `seconds`, from the first message sent to the last one received, the `language`, its `version` and how
many CPUs it used (`cpus`). `LANGUAGES` lists the languages; `why_not(language)` says in words what is missing on this
machine, or None. Go's channels take a capacity (0: unbuffered); Erlang's mailboxes have none.
"""

from benchmarks.other_languages.driver import LANGUAGES, Outcome, build, stream, token, why_not

__all__ = ["LANGUAGES", "Outcome", "build", "stream", "token", "why_not"]
