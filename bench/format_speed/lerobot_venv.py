"""Where LeRobot is installed: an environment of its own, built by `make oracles`."""

from pathlib import Path

from bench.harness import Missing

PYTHON = Path(__file__).parents[2] / ".oracles/lerobot/bin/python"


def find_python() -> Path:
    """Return the interpreter that has LeRobot; raise `Missing` where it was not built."""
    if not PYTHON.is_file():
        raise Missing("LeRobot is not installed; `make oracles` installs it into .oracles/lerobot")
    return PYTHON
