"""Facts stated for one check: a protocol's own questions count, and what a log states stays."""

import pytest
from tests.ingest.lerobot_makers import foreign

from fieldloop.cli import main
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.data import check
from fieldloop.model.finding import Status
from fieldloop.report.check.causes import group_by_cause

PROTOCOL = '[protocol]\nname = "pick"\nversion = 1\n'


@pytest.fixture
def logs(tmp_path):
    foreign(tmp_path / "set", episodes=2)
    (tmp_path / "pick.toml").write_text(PROTOCOL)
    return tmp_path / "set"


def judge(logs, **more):
    return check.check(None, (logs,), protocol=logs.parent / "pick.toml", numbers_only=True, **more)


def failed(report):
    return {f.check for e in report.episodes for f in e.findings if f.status is Status.FAILED}


def steps(report):
    return [one.code for one in group_by_cause(report.episodes, report.dataset).next_steps]


def test_a_protocol_asks_its_own_questions_once_the_logs_are_said_to_follow_it(logs):
    unnamed = judge(logs)
    assert "check.only_a_protocol_asks" in steps(unnamed)
    assert not failed(unnamed) & {"metadata.missing_fields", "adherence.operator_recorded"}
    named = judge(logs, set_=("protocol=pick",))
    assert "check.only_a_protocol_asks" not in steps(named)
    assert failed(named) >= {"metadata.missing_fields", "adherence.operator_recorded"}
    full = judge(logs, set_=("protocol=pick", "operator=anna", "site=lab", "condition.floor=wet"))
    assert "adherence.operator_recorded" not in failed(full)


def test_what_a_log_states_stays(logs):
    report = check.check(None, (logs,), set_=("task=lift", "operator=anna"), numbers_only=True)
    assert {one.task for one in report.contents} == {"pick"}
    assert [dict(one.operators) for one in report.contents] == [{"anna": 2}]


def test_kept_measurements_of_other_facts_are_not_used(logs, tmp_path):
    kept = tmp_path / "kept"
    bare = judge(logs, keep=kept)
    assert failed(judge(logs, keep=kept, set_=("protocol=pick",))) > failed(bare)
    assert failed(judge(logs, keep=kept)) == failed(bare)


def test_misspelt_facts_and_facts_without_a_path_are_refused(logs, tmp_path, capsys):
    with pytest.raises(UnknownName, match="Did you mean 'protocol'"):
        judge(logs, set_=("protocoll=pick",))
    with pytest.raises(BadInput, match="--set goes with a path"):
        check.check(None, (), keep=tmp_path, set_=("protocol=pick",))
    given = ["check", "--set", "protocol=pick", "operator=anna", str(logs), "--numbers-only"]
    assert main(given) == 1
    assert "These logs name no protocol" not in capsys.readouterr().out
