"""Plan and diagnosis on a terminal of 100 columns: nothing is wider, and no stratum is broken in two."""

import dataclasses
import io
import re

import pytest
from tests.report import samples

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.loop.plan.plan import PlanNow
from fieldloop.model.condition import Stratum
from fieldloop.model.note import note
from fieldloop.say import write_sentence

WIDTH = 100
CODES = re.compile(r"\x1b\[[0-9;]*m")
STRATUM = Stratum.of(bin="back", lighting="dim", site="gdansk", tier="medium")
WHY = note("as_written", text="The failure rate is 85 %, of which 73 points can be learnt. " * 3)


class Terminal(io.StringIO):
    """Text that calls itself a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def printed(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def lines(result):
        stream = Terminal()
        show_result(result, Screen(stream))
        return CODES.sub("", stream.getvalue()).splitlines()

    return lines


def long_plan():
    report = samples.planned()
    quotas = tuple(dataclasses.replace(q, stratum=STRATUM, why=WHY) for q in report.plan.quotas)
    progress = tuple(dataclasses.replace(p, stratum=STRATUM) for p in report.progress)
    plan = dataclasses.replace(report.plan, quotas=quotas)
    return PlanNow(plan, progress, report.coverage, report.forecast, report.scores)


def test_a_plan_fits(printed):
    now = long_plan()
    for result in (now, now.plan, list(now.progress)):
        lines = printed(result)
        assert max(map(len, lines)) <= WIDTH
        assert any(str(STRATUM) in line for line in lines)
    assert any("73 points can be learnt" in line for line in printed(now.plan))


def test_a_diagnosis_fits_and_asks_its_questions_once(printed):
    found = samples.diagnosis()
    failures = tuple(dataclasses.replace(one, stratum=STRATUM) for one in found.failures)
    lines = printed(dataclasses.replace(found, failures=failures))
    at = next(n for n, line in enumerate(lines) if line.startswith("Four questions"))
    assert max(map(len, lines)) <= WIDTH
    for asked in found.failures[0].asked:
        assert sum(write_sentence(asked.question) in line for line in lines) == 1
    assert any(str(STRATUM) in line for line in lines[at:])
