"""Proposals of a stranger's log: labels with confidence are stored by kind, and what is missing is named."""

import dataclasses
import json

import h5py
import numpy as np
import pytest
from tests.annotate.planted_joints import COARSE, joints, opening, times

from fieldloop.cli import main
from fieldloop.loop.annotate import propose as proposing
from fieldloop.loop.data import ingest
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.event import DeploymentAudited, DeploymentMapped

HZ = 20.0


def write_log(path):
    """Write a set of two episodes: a pick, and an arm without fingers."""
    t = times(HZ)
    with h5py.File(path, "w") as file:
        file.create_group("data").attrs["env_args"] = json.dumps({"env_kwargs": {"control_freq": HZ}})
        for k, hand in enumerate((True, False)):
            demo = file.create_group(f"data/demo_{k}")
            demo.create_dataset("actions", data=np.zeros((len(t), 6)))
            demo.create_dataset("obs/robot0_joint_pos", data=joints(t, k))
            if hand:
                demo.create_dataset("obs/robot0_gripper_qpos", data=np.outer(opening(t), [0.04, -0.04]))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stranger")
    setup.init(folder / "site")
    write_log(folder / "picks.hdf5")
    opened = open_workspace(folder / "site")
    mapped = Deployment("d", "pick", (), (), measured=(Exposure(Stratum.of(), 1.0),))
    opened.write(DeploymentMapped(mapped), DeploymentAudited(Audit("d", (), 1.0, complete=True)))
    ingest.ingest_logs(opened, (folder / "picks.hdf5",))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def proposed(stranger):
    return proposing.propose_annotations(stranger, every=True)


def find_proposed(workspace, name="demo_0"):
    episode = find_episode(workspace, name).id
    return set(workspace.store.find(Annotation, {"author": proposing.MACHINE, "episode": episode}))


def test_labels_of_every_kind_are_stored_with_their_confidence(stranger, proposed):
    stored = stranger.store.find(Annotation, {"author": proposing.MACHINE})
    phases = [a for a in stored if a.kind == "phase"]
    assert tuple(a.label for a in phases) == COARSE
    assert all(a.confidence is not None and 0 < a.confidence < 1 for a in phases)
    assert {(one.kind, one.label) for one in proposed.labels} == {(a.kind, a.label) for a in stored}
    assert {"phase", "action", "success"} <= {a.kind for a in stored}
    assert (proposed.episodes, proposed.annotations) == (1, len(COARSE))


def test_what_could_not_be_proposed_is_named_with_its_reason(proposed):
    (left,) = proposed.cannot_tell
    assert left[1].code == "propose.no_fingers"
    named = {one.reason.code: one for one in proposed.left_out}
    assert named["propose.no_fingers"].example == "demo_1"
    assert named["propose.no_tool_pose"].episodes == 1


def test_proposing_again_replaces_what_was_proposed(stranger, proposed):
    before = find_proposed(stranger)
    assert proposing.propose_annotations(stranger, ("demo_0",)).episodes == 0
    again = proposing.propose_annotations(stranger, ("demo_0",), again=True)
    assert again.annotations == proposed.annotations
    assert find_proposed(stranger) == before


@pytest.mark.usefixtures("proposed")
def test_kinds_that_are_not_proposed_any_longer_vanish(stranger, monkeypatch):
    whole = proposing.propose_labels

    def propose_phases_only(recording, **more):
        made = whole(recording, **more)
        return dataclasses.replace(made, annotations=tuple(a for a in made.annotations if a.kind == "phase"))

    monkeypatch.setattr(proposing, "propose_labels", propose_phases_only)
    proposing.propose_annotations(stranger, ("demo_0",), again=True)
    assert {a.kind for a in find_proposed(stranger)} == {"phase"}
    monkeypatch.undo()
    proposing.propose_annotations(stranger, ("demo_0",), again=True)


def test_people_s_labels_stay_as_they_are(stranger, proposed):
    assert proposed.author == proposing.MACHINE
    assert {a.author for a in stranger.store.find(Annotation, {})} == {proposing.MACHINE}


@pytest.mark.usefixtures("proposed")
def test_change_points_are_listed_and_nothing_is_stored(stranger):
    before = stranger.store.get_last_seq()
    points = proposing.list_change_points(stranger, "demo_0")
    length = times(HZ)[-1] + 1 / HZ
    assert [p.at_s for p in points] == sorted(p.at_s for p in points)
    assert all(-0.5 <= p.at_s <= length + 0.5 for p in points)
    assert {"fingers move", "arm starts"} <= {p.what for p in points}
    assert stranger.store.get_last_seq() == before


@pytest.mark.usefixtures("proposed")
def test_the_command_prints_labels_confidence_and_reasons(stranger, capsys):
    assert main(["annotate", "--every", "--again", "--workspace", str(stranger.root)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "5 phases proposed in 1 episode" in shown
    assert "confidence" in shown
    assert "(such as demo_1): No stream or column holds a gripper or fingers" in shown


def test_an_interruption_keeps_the_proposals_made_so_far(stranger, proposed, monkeypatch):
    monkeypatch.setattr(proposing, "MACHINE", "machine:interrupted")
    propose, done = proposing.propose_labels, []

    def propose_one(*args, **more):
        if done:
            raise KeyboardInterrupt
        done.append(1)
        return propose(*args, **more)

    monkeypatch.setattr(proposing, "propose_labels", propose_one)
    with pytest.raises(KeyboardInterrupt):
        proposing.propose_annotations(stranger, every=True)
    kept = stranger.store.find(Annotation, {"author": "machine:interrupted"})
    assert {a.episode for a in kept} == {find_episode(stranger, "demo_0").id}
    assert {a.kind for a in kept} == {one.kind for one in proposed.labels}
