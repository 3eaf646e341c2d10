"""Reads a diagnosis as an answer of a row, with columns under their known headers."""

from collections.abc import Mapping
from pathlib import Path

from bench.answered.row import DIGITS, MOST_CAUSES, SHORT, Named, Reply
from fieldloop.loop.run.case_folder import diagnose_folder
from fieldloop.model.diagnosis import Cause, Diagnosis


def ask_about_folder(folder: Path, known_headers: Mapping[str, str]) -> Reply:
    """Diagnose a folder as the command does; `known_headers` turns foreign headers back."""
    return read_reply(diagnose_folder(None, folder), known_headers)


def read_reply(made: Diagnosis, known_headers: Mapping[str, str]) -> Reply:
    """Keep the status and the first causes of a diagnosis."""
    causes = tuple(
        Named(SHORT[str(cause.gap)], _places(cause, known_headers), round(cause.share, DIGITS))
        for cause in made.causes[:MOST_CAUSES]
    )
    return Reply(str(made.status), causes, made.kinds is not None and made.kinds.mostly_mix)


def _places(cause: Cause, known_headers: Mapping[str, str]) -> tuple[str, ...]:
    conditions = [c for stratum in (cause.stratum, *cause.group) for c in stratum.conditions]
    return tuple(dict.fromkeys(f"{known_headers.get(c.factor, c.factor)}={c.level}" for c in conditions))
