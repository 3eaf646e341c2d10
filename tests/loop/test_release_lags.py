"""Lags of a release are estimated once and kept; another protocol or other content asks for them anew."""

import pytest

from fieldloop.loop.run.diagnose import diagnose
from fieldloop.loop.ship import release_evidence
from fieldloop.model.diagnosis import Lag
from fieldloop.model.episode import Blob, Episode
from fieldloop.model.event import EpisodesMeasured, LagsMeasured
from fieldloop.model.release import Release

FOUND = Lag("arm-1", "camera/wrist", 12.0, 9.0, 15.0, 30)


@pytest.fixture
def estimated(monkeypatch):
    """Count how often lags are really estimated."""
    calls = []

    def estimate(_workspace, episodes, protocol):
        calls.append((len(episodes), protocol.fingerprint))
        yield FOUND

    monkeypatch.setattr(release_evidence, "_estimate_lags", estimate)
    return calls


def test_they_are_estimated_once(full_site, estimated):
    for _ in range(3):
        diagnose(full_site, "p1")
    assert len(estimated) == 1
    (kept,) = full_site.store.find(LagsMeasured)
    assert kept.lags == (FOUND,)
    assert kept.protocol == full_site.protocol().fingerprint
    full_site.store.rebuild_tables()
    assert full_site.store.find(LagsMeasured) == [kept]


def test_other_content_or_another_protocol_is_another_estimate(full_site, estimated, monkeypatch):
    (release,) = full_site.store.find(Release)
    episodes = full_site.store.find(Episode, {"id": list(release.episodes)})
    assert release_evidence.estimate_rig_lags(full_site, release, episodes) == (FOUND,)
    ids = tuple(e.id for e in episodes)
    full_site.write(EpisodesMeasured(ids, Blob("1" * 64, 9), 1, Blob("2" * 64, 9), "m"))
    release_evidence.estimate_rig_lags(full_site, release, episodes)
    assert len(estimated) == 2
    monkeypatch.setattr(release_evidence, "fingerprint_imprints", lambda *_: "other")
    release_evidence.estimate_rig_lags(full_site, release, episodes)
    assert len(estimated) == 3
    assert full_site.store.count(LagsMeasured) == 1, "the last one of a release and protocol counts"
