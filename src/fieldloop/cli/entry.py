"""Run one command and return its exit code: 0 passed, 1 failed or cannot tell, 2 could not run."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.choose import Choice, choose_command
from fieldloop.errors import FieldloopError, find_missing_extra

PASSED, FAILED, COULD_NOT_RUN, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
SYSTEM_ERRORS = {
    errno.ENOSPC: "No space left",
    errno.EDQUOT: "Disk quota exceeded",
    errno.EACCES: "Permission denied",
    errno.EPERM: "Permission denied",
    errno.EROFS: "The disk is read-only",
}
"""Errors of the operating system that are not bugs of ours, in words."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ✓ shows ?, and does not crash
    debug, as_json = "--debug" in words, "--json" in words
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _exit_on_signal)  # so that half-written files are removed on the way out
    try:
        code = _run_choice(choose_command(words))
        sys.stdout.flush()
    except SystemExit as left:  # argparse printed the help of one command, or the command was terminated
        if left.code == TERMINATED:
            print("Terminated. Completed work is kept; partial files are removed.", file=sys.stderr)
        return int(left.code or PASSED)
    except FieldloopError as wrong:
        return _report_error(type(wrong).__name__, str(wrong), as_json=as_json, error=wrong)
    except BrokenPipeError:
        # the reader closed the pipe, as `head` does; without this Python would complain again when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PASSED
    except KeyboardInterrupt:
        print("Interrupted. Completed work is kept; partial files are removed.", file=sys.stderr)
        return INTERRUPTED
    except Exception as bug:  # noqa: BLE001 - the last stop before the user; every other error has a name
        return _report_known_error(bug, as_json=as_json) or _report_bug(bug, debug=debug, as_json=as_json)
    return code


def get_exit_code(result: Any) -> int:
    """Return whether a result passed: by its `exit_ok`, else by its `status`; lists and texts always pass."""
    from fieldloop.model.finding import Status

    if hasattr(result, "exit_ok"):
        return PASSED if result.exit_ok else FAILED
    if isinstance(status := getattr(result, "status", None), Status):
        return PASSED if status is Status.PASSED else FAILED
    return PASSED


def _run_choice(choice: Choice) -> int:
    if choice.text:
        print(choice.text)
        return PASSED
    if choice.command == "up":
        from fieldloop.cli.up import run_up

        return run_up(choice.words)
    if choice.command == "demo":
        from fieldloop.cli.demo import run_demo

        return run_demo(choice.words)
    if choice.command == "look":
        from fieldloop.cli.look import run_look

        return run_look(choice.words)
    from fieldloop.cli.perform import perform_command

    return get_exit_code(perform_command(choice.command, choice.words))


def _exit_on_signal(_signal: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the clearing up
    sys.exit(TERMINATED)


def _report_error(name: str, message: str, *, as_json: bool, error: Exception | None = None) -> int:
    if as_json:
        import json

        from fieldloop.doors.written import get_error_reasons

        facts = get_error_reasons(error) if error else {}
        print(json.dumps({"error": name, "message": message} | facts, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"fieldloop: {message}", file=sys.stderr)
    return COULD_NOT_RUN


def _report_known_error(error: Exception, *, as_json: bool) -> int | None:
    """Report a missing extra or an error of the operating system; None where it is something else."""
    if isinstance(error, ModuleNotFoundError):
        extra = find_missing_extra(error)
        return _report_error(type(extra).__name__, str(extra), as_json=as_json) if extra else None
    if not isinstance(error, OSError) or error.errno not in SYSTEM_ERRORS:
        return None
    where = f" at {error.filename}" if error.filename else ""
    message = f"{SYSTEM_ERRORS[error.errno]}{where}. Partial files are removed. Free space or choose another place."
    return _report_error(type(error).__name__, message, as_json=as_json)


def _report_bug(bug: Exception, *, debug: bool, as_json: bool) -> int:
    if debug:
        import traceback

        traceback.print_exception(bug)
    hint = "" if debug else " Run again with --debug to see where."
    return _report_error(type(bug).__name__, f"this is a bug: {type(bug).__name__}: {bug}.{hint}", as_json=as_json)
