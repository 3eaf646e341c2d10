"""From words to an exit code: 0 passed, 1 failed or not known to have passed, 2 could not run."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.choose import Choice, choose
from fieldloop.errors import FieldloopError

PASSED, FAILED, COULD_NOT_RUN, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
NO_BUGS = {
    errno.ENOSPC: "There is no space left",
    errno.EDQUOT: "The disk quota is used up",
    errno.EACCES: "Permission is denied",
    errno.EPERM: "Permission is denied",
    errno.EROFS: "The disk can only be read",
}
"""What the system may refuse anywhere, and what it means."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ✓ shows ?, and does not crash
    debug, as_json = "--debug" in words, "--json" in words
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)  # so that half-written files are removed on the way out
    try:
        code = _run(choose(words))
        sys.stdout.flush()
    except SystemExit as left:  # argparse printed the help of one command
        return int(left.code or PASSED)
    except FieldloopError as wrong:
        return _say(type(wrong).__name__, str(wrong), as_json=as_json)
    except BrokenPipeError:
        # whoever read us has seen enough; Python would complain once more when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PASSED
    except KeyboardInterrupt:
        print("Interrupted. What was complete is kept, what was half written is removed.", file=sys.stderr)
        return INTERRUPTED
    except Exception as bug:  # noqa: BLE001 - the last stop before the user; every other error has a name
        return _say_refused(bug, as_json=as_json) or _say_bug(bug, debug=debug, as_json=as_json)
    return code


def exit_code(result: Any) -> int:
    """Say whether a result passed: by its own `exit_ok`, else by its `status`; lists and texts always do."""
    from fieldloop.model.finding import Status

    if hasattr(result, "exit_ok"):
        return PASSED if result.exit_ok else FAILED
    if isinstance(status := getattr(result, "status", None), Status):
        return PASSED if status is Status.PASSED else FAILED
    return PASSED


def _run(choice: Choice) -> int:
    if choice.text:
        print(choice.text)
        return PASSED
    if choice.command == "up":
        from fieldloop.cli.up import up

        return up(choice.words)
    if choice.command == "demo":
        from fieldloop.cli.demo import demo

        return demo(choice.words)
    from fieldloop.cli.perform import perform

    return exit_code(perform(choice.command, choice.words))


def _leave(_signal: int, _frame: object) -> None:
    sys.exit(TERMINATED)


def _say(name: str, message: str, *, as_json: bool) -> int:
    if as_json:
        import json

        print(json.dumps({"error": name, "message": message}, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"fieldloop: {message}", file=sys.stderr)
    return COULD_NOT_RUN


def _say_refused(error: Exception, *, as_json: bool) -> int | None:
    """Say what the system refused; None where it is something else."""
    if not isinstance(error, OSError) or error.errno not in NO_BUGS:
        return None
    where = f" at {error.filename}" if error.filename else ""
    told = f"{NO_BUGS[error.errno]}{where}. What was half written is removed; make room or choose another place."
    return _say(type(error).__name__, told, as_json=as_json)


def _say_bug(bug: Exception, *, debug: bool, as_json: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(bug)
    hint = "" if debug else " Run again with --debug to see where."
    return _say(type(bug).__name__, f"this is a bug: {type(bug).__name__}: {bug}.{hint}", as_json=as_json)
