"""A diagnosis that stands on a map edited since says so."""

from tests.audit.maps import FULL, SKUS

from fieldloop.loop.diagnose import diagnose
from fieldloop.model.policy import PolicyVersion

CHANGED = "deployment.toml and skus.csv changed after the audit, and the map as audited is still in force. "


def test_a_diagnosis_names_the_files_that_changed(told):
    version = told.store.find(PolicyVersion)[0]
    (told.root / "deployment.toml").write_text(FULL)
    (told.root / "skus.csv").write_text(SKUS)
    said = [reason for reason in diagnose(told, version.id).cannot_tell if reason.startswith(CHANGED)]
    assert said == [f"{CHANGED}Run: fieldloop audit --measured"]
