"""Leaving the least valuable episodes out: refused without trials, overridden on the record, allowed by evidence."""

import shutil

import pytest
from tests.loop.test_loop_release import taken_in  # noqa: F401 - a fixture

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_worth import list_release_worth
from fieldloop.loop.ship.worth import choose_least_valuable
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.event import OutcomeRecorded, PolicyTrained
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import LeavingOut, Release
from fieldloop.model.worth import WorthMethod

WHY = "to try it at the gate"


@pytest.fixture(scope="module")
def site(taken_in, tmp_path_factory):  # noqa: F811
    """Two healthy episodes, to be released as r1."""
    folder = tmp_path_factory.mktemp("worth") / "site"
    shutil.copytree(taken_in, folder)
    opened = open_workspace(folder)
    yield opened
    opened.close()


def attempt(site, release, successes, trials, stage=Stage.GATE):
    """Record a policy of this release and its trials, successes first."""
    policy = PolicyVersion(f"{release.id[:32]:0<64}", f"p-{release.name}", release.id, "mine", "", 2, 0, None, 10.0)
    site.write(PolicyTrained(policy))
    add_trials(site, release, 0, trials, stage=stage, successes=successes)


def add_trials(site, release, first, trials, *, scenario="base", stage=Stage.GATE, successes=0):
    made = [
        Outcome(
            f"{release.name}-{n:04d}", f"{release.id[:32]:0<64}", Stratum.of(), stage, "lab", "arm-1", 10**18 + n,
            n < successes, "x", scenario=scenario,
        )
        for n in range(first, first + trials)
    ]  # fmt: skip
    site.write(*map(OutcomeRecorded, made))


def test_the_worst_stay_in_until_trials_show_that_it_helps_to_leave_them_out(site):
    whole = freeze_release(site, "r1", override=WHY)
    worth = list_release_worth(site, "r1")
    assert {one.episode for one in worth.episodes} == set(whole.episodes)
    assert worth.episodes[0].value <= worth.episodes[1].value
    assert worth.conclusion.code == "worth.no_trials"

    with pytest.raises(Refused, match="No evidence shows that leaving") as refused:
        freeze_release(site, "lean", without_worst=0.5)
    assert refused.value.reasons[0].code == "worth.no_evidence"

    lean = freeze_release(site, "lean", without_worst=0.5, override=WHY)
    assert lean.episodes == (worth.episodes[1].episode,)
    assert lean.left_out == LeavingOut(whole.id, "smooth", 0.5)
    assert site.store.get(Release, lean.id).left_out == lean.left_out
    assert whole.left_out is None
    why = dict(lean.excluded)[worth.episodes[0].episode]
    assert (why.code, why["method"], why["value"], why["whole"]) == (
        "release.least_worth", "smooth", worth.episodes[0].value, whole.id,
    )  # fmt: skip
    assert "worth.no_evidence" in {reason.code for reason in lean.overridden}

    attempt(site, whole, 90, 250)
    with pytest.raises(Refused, match="tried both with"):
        freeze_release(site, "r2", without_worst=0.5)
    attempt(site, lean, 130, 199)
    found = list_release_worth(site, "r1")
    assert found.conclusion.code == "worth.too_few_trials"
    with pytest.raises(Refused, match=r"199 comparable trials of either policy(.|\n)*learnt from r1 and from lean"):
        freeze_release(site, "r2", without_worst=0.5)
    add_trials(site, lean, 199, 30, scenario="position:1")  # the other policy was never asked for these
    assert list_release_worth(site, "r1").evidence == found.evidence
    add_trials(site, lean, 229, 10)
    found = list_release_worth(site, "r1")
    assert found.conclusion.code == "worth.helps"
    (one,) = found.evidence
    assert (one.successes, one.successes_without, one.trials, one.look, one.waiting) == (90, 130, 200, 1, 9)
    left, against = choose_least_valuable(site, whole, 0.5, WorthMethod.SMOOTH, "")
    assert ([episode for episode, _ in left], against) == ([worth.episodes[0].episode], ())
    again = freeze_release(site, "lean", without_worst=0.5, override=WHY)
    assert again.id == lean.id
    with pytest.raises(Refused, match=r"No policy was tried both(.|\n)*release r2 --without-worst 0\.4 --override"):
        freeze_release(site, "r2", without_worst=0.4)
    with pytest.raises(Refused, match="No evidence"):
        freeze_release(site, "r2", without_worst=0.5, worst_by=WorthMethod.INFLUENCE)


def test_influence_of_too_few_episodes_cannot_be_told(site):
    freeze_release(site, "r1", override=WHY)
    found = list_release_worth(site, "r1", method=WorthMethod.INFLUENCE)
    assert not found.episodes
    assert {why.code for _, why in found.unknown} <= {"worth.too_few", "worth.not_learnt_from"}


@pytest.mark.parametrize("share", [1.0, -0.5, 30.0])
def test_a_share_outside_is_refused(site, share):
    with pytest.raises(BadInput, match="between 0 and 1"):
        freeze_release(site, "r3", without_worst=share)
