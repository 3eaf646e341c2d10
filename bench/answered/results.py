"""Keeps rows in a file: the first line says what they are of, every further line is a world."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.answered.row import Row, read_row, write_row

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "bench" / "results"
JUDGED = ("src/fieldloop/diagnose", "src/fieldloop/protocol", "src/fieldloop/ingest/tables")
"""What answers depend on: it must be as the commit has it."""


def result_file(family: str) -> Path:
    """Return the tracked file of a family's final worlds."""
    return FOLDER / f"diagnose_{family}.jsonl"


def describe_run(family: str, commit: str) -> dict[str, Any]:
    """Return the first line of a file: family, commit, and whether the diagnosis was that of the commit.

    What was judged is named by `git diff`: nothing differs, or the names of what differs.
    """
    differs = _git("diff", "--name-only", commit, "--", *JUDGED).split() if commit else []
    return {"family": family, "commit": commit, "differs_from_commit": differs}


def append_row(file: Path, head: Mapping[str, Any], row: Row) -> None:
    """Write one world behind the others; a line that was cut short is ended first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    with file.open("a", encoding="utf-8") as opened:
        if not before:
            opened.write(json.dumps(head) + "\n")
        elif not before.endswith("\n"):
            opened.write("\n")
        opened.write(_line(row) + "\n")


def read_results(file: Path) -> tuple[dict[str, Any], list[Row]]:
    """Read a file: its first line and its worlds; a line that was cut short is left out."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines[1:]:
        try:
            rows.append(read_row(json.loads(line)))
        except json.JSONDecodeError:
            continue
    return json.loads(lines[0]), rows


def read_finished(file: Path, head: Mapping[str, Any]) -> dict[int, Row]:
    """Return worlds of the same run by seed; final worlds of one commit are played once."""
    if not file.exists() or not file.stat().st_size:
        return {}
    found, rows = read_results(file)
    if (found.get("commit"), found.get("family")) != (head["commit"], head["family"]):
        raise ValueError(f"{file} has worlds of {found.get('commit') or 'no commit'}; move it away first.")
    return {row.seed: row for row in rows}


def write_in_order(file: Path, head: Mapping[str, Any], rows: Sequence[Row]) -> None:
    """Write all worlds of a run, in the order of their seeds' indices."""
    file.write_text("\n".join([json.dumps(head), *map(_line, rows)]) + "\n", encoding="utf-8")


def _line(row: Row) -> str:
    return json.dumps(write_row(row), separators=(",", ":"), ensure_ascii=False)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
