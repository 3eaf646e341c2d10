"""A diagnosis that stands on a map edited since says so."""

from tests.audit.maps import FULL, SKUS

from fieldloop.loop.run.diagnose import diagnose
from fieldloop.model.policy import PolicyVersion
from fieldloop.say import write_sentence

CHANGED = "deployment.toml and skus.csv changed after the audit. The map as audited is still in force. "


def test_a_diagnosis_names_the_files_that_changed(full_site):
    version = full_site.store.find(PolicyVersion)[0]
    (full_site.root / "deployment.toml").write_text(FULL)
    (full_site.root / "skus.csv").write_text(SKUS)
    reasons = map(write_sentence, diagnose(full_site, version.id).cannot_tell)
    assert [reason for reason in reasons if reason.startswith(CHANGED)] == [f"{CHANGED}Run: fieldloop audit --measured"]
