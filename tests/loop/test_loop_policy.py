"""A policy trained elsewhere enters the loop by name and digest."""

import hashlib
import io
import math
from dataclasses import replace
from pathlib import Path

import pytest

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.audit.audit import audit
from fieldloop.loop.house import setup
from fieldloop.loop.run import trust
from fieldloop.loop.run.policies import load_engine
from fieldloop.loop.ship import gate, gate_plan, policy
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.event import OutcomeRecorded, PolicyAdded, PolicyTrained, ReleaseFrozen
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.store import open_shelf, open_store

NOW_NS = 1_760_000_000 * 10**9


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path)
    opened = open_workspace(
        tmp_path, store=open_store("sqlite://"), shelf=open_shelf("memory://"), clock=lambda: NOW_NS
    )
    audit(opened, example=True)
    audit(opened)
    yield opened
    opened.close()


def test_a_file_is_known_by_its_digest_and_adding_it_again_changes_nothing(here, tmp_path):
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"weights")
    added = policy.add_policy(here, "pi0-v3", weights)
    assert added.id == hashlib.sha256(b"weights").hexdigest()
    assert (added.bundle, added.release, added.source) == ("", "", "model.safetensors")
    assert policy.add_policy(here, "pi0-v3", weights) == added
    assert here.store.count(PolicyVersion) == 1
    with pytest.raises(Refused, match="known already, as pi0-v3"):
        policy.add_policy(here, "pi0-v4", weights)


def test_a_folder_is_another_version_if_one_byte_or_one_name_changes(tmp_path):
    folder = tmp_path / "checkpoint"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.bin").write_bytes(b"1")
    digests = {policy.hash_file_or_folder(folder)}
    (folder / "sub" / "a.bin").write_bytes(b"2")
    digests.add(policy.hash_file_or_folder(folder))
    (folder / "sub" / "a.bin").rename(folder / "sub" / "b.bin")
    digests.add(policy.hash_file_or_folder(folder))
    assert len(digests) == 3


def test_weights_may_stay_elsewhere(here):
    by_url = policy.add_policy(here, "act-1", Path("https://example.org/act-1"), control_hz=10)
    assert by_url.source == "https://example.org/act-1"
    by_digest = policy.add_policy(here, "act-2", digest="AB" * 32)
    assert by_digest.id == "ab" * 32
    assert policy.add_policy(here, "act-3").id not in (by_url.id, by_digest.id)
    with pytest.raises(Refused, match="not stored here"):
        load_engine(here, by_url)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": " "}, "Give the policy a name"),
        ({"digest": "abc"}, "64 hexadecimal digits"),
        ({"control_hz": math.nan}, "not a valid rate"),
        ({"control_hz": 0.0}, "not a valid rate"),
        ({"release": "r9"}, "No release"),
    ],
)
def test_what_cannot_be_is_refused(here, given, says):
    with pytest.raises(BadInput, match=says):
        policy.add_policy(here, **{"name": "p", **given})
    assert here.store.count(PolicyVersion) == 0


def test_a_stated_digest_that_differs_is_refused(here, tmp_path):
    weights = tmp_path / "model.bin"
    weights.write_bytes(b"weights")
    with pytest.raises(BadInput, match="another version, or it is damaged"):
        policy.add_policy(here, "p", weights, digest="0" * 64)
    with pytest.raises(BadInput, match="does not exist"):
        policy.add_policy(here, "p", tmp_path / "nothing.bin")


def test_its_gate_judges_recorded_trials_and_reported_latency(here):
    version = policy.add_policy(here, "pi0-v3", control_hz=10)
    with pytest.raises(Refused, match="not stored here"):
        gate.decide_gate(here, "pi0-v3", simulate=True)
    trials = gate_plan.list_trials(here, "pi0-v3")
    assert {t.scenario for t in trials} >= {"base", "consecutive", "distractors"}
    assert next(t for t in gate.decide_gate(here, "pi0-v3").tests if t.name == "latency").status is Status.CANNOT_TELL
    usual = Outcome("t", version.id, Stratum(), Stage.GATE, "", "arm-1", NOW_NS, succeeded=True, judged_by="ann")
    tried = [
        replace(usual, id=f"t{n}", stratum=trial.stratum, scenario=trial.scenario, cycle_s=3.0, latency_ms=500.0)
        for n, trial in enumerate(trials)
    ]
    here.write(*map(OutcomeRecorded, tried))
    decision = gate.decide_gate(here, "pi0-v3")
    tests = {t.name: t for t in decision.tests}
    assert tests["latency"].status is Status.FAILED  # 500 ms at 10 Hz
    lighting = next(t for name, t in tests.items() if name.startswith("lighting:"))
    assert "evaluate.training_unknown" in [detail.code for detail in lighting.message.details]


def test_its_lineage_says_what_is_not_known(here):
    policy.add_policy(here, "pi0-v3")
    lineage = trust.trace_policy(here, "pi0-v3")
    assert [end.code for end in lineage.open_ends] == ["trust.training_unknown"]


def frozen(name, train=("e1", "e2")):
    return Release(name * 8, name, train, train, (), "pick v1", "", (), "")


def test_a_release_can_be_stated_for_a_known_policy_and_no_name_is_given_twice(here):
    first = policy.add_policy(here, "mine", digest="ab" * 32)
    here.write(ReleaseFrozen(frozen("r1")))
    stated = policy.add_policy(here, "mine", release="r1")
    assert (stated.id, stated.release, stated.episodes) == (first.id, "r1" * 8, 2)
    assert policy.register_policy(here, "mine", digest="ab" * 32, control_hz=5.0).release == "r1" * 8
    assert [version.name for version in here.store.find(PolicyVersion)] == ["mine"]
    assert len(list(here.store.events(PolicyAdded))) == 3  # each statement is on the record
    with pytest.raises(Refused, match=r"mine is another version already.*such as mine-2"):
        policy.add_policy(here, "mine", digest="cd" * 32)


def test_what_a_policy_was_trained_on_here_does_not_change(here):
    here.write(ReleaseFrozen(frozen("r1")), ReleaseFrozen(frozen("r2")))
    here.write(PolicyTrained(PolicyVersion("a" * 64, "p1", "r1" * 8, "reference", "b", 10, 0, 0.01, 5.0)))
    with pytest.raises(Refused, match="trained here on another release"):
        policy.add_policy(here, "p1", release="r2")


@pytest.mark.parametrize("name", ["bad name/../x", "../x", ".hidden", "-x", "a\nb", "a\x00b", "two words", "a\\b", " "])
def test_a_name_that_could_be_misread_is_refused(here, name):
    with pytest.raises(BadInput):
        policy.add_policy(here, name)
    assert not here.store.count(PolicyVersion)
    assert policy.add_policy(here, "π0-v3.1_b").name == "π0-v3.1_b"


def test_a_misspelt_release_is_refused_with_a_suggestion(here):
    here.write(ReleaseFrozen(frozen("r1")))
    with pytest.raises(UnknownName) as refused:
        policy.add_policy(here, "mine", release="r11")
    assert refused.value.suggestion == "r1"


def test_what_is_not_known_of_a_policy_is_printed_as_a_dash(here):
    stream = io.StringIO()
    show_result(policy.add_policy(here, "mine"), Screen(stream))
    facts = dict(line.rsplit(maxsplit=1) for line in stream.getvalue().splitlines())
    assert (facts["episodes"], facts["seed"]) == ("–", "–")
