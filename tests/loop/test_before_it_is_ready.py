"""Nothing is locked over an incomplete audit that nobody overrode, and a site that works too early is named."""

import dataclasses

import pytest
from tests.doors.story import NOW

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.errors import Refused, UnknownName
from fieldloop.loop.annotate.taxonomy.lock import lock_taxonomy
from fieldloop.loop.audit import audit
from fieldloop.loop.audit.live_sites import note_live_sites_without_set
from fieldloop.loop.plan import plan
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.decision import Decision
from fieldloop.model.event import DeploymentAudited, DeploymentMapped, OutcomeRecorded, PolicyGated, TaxonomyLocked
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import parse_operations
from fieldloop.ui.pages import deployment as page
from fieldloop.ui.visit import Visit

WORDS = load_shipped_taxonomy()


def incomplete(workspace):
    asked = audit.find_latest_audit(workspace)
    workspace.write(DeploymentAudited(dataclasses.replace(asked, complete=False, overridden_by=None)))


def test_words_are_locked_once_over_a_complete_audit(full_site):
    lock_taxonomy(full_site, WORDS)
    before = full_site.store.get_last_seq()
    lock_taxonomy(full_site, WORDS)
    assert full_site.store.get_last_seq() == before
    (locked,) = full_site.store.find(TaxonomyLocked)
    assert (locked.name, locked.version) == (WORDS.name, WORDS.version)
    with pytest.raises(Refused, match="Give the change a new version"):
        lock_taxonomy(full_site, dataclasses.replace(WORDS, labels=WORDS.labels[1:]))


def test_over_an_incomplete_audit_words_are_locked_only_by_an_override(full_site):
    incomplete(full_site)
    with pytest.raises(Refused, match="needs a complete audit"):
        lock_taxonomy(full_site, WORDS)
    with pytest.raises(Refused, match="needs a complete audit"):
        plan.plan(full_site, budget=10)
    audit.override_audit(full_site, reason="the pilot starts on Monday")
    lock_taxonomy(full_site, WORDS)
    assert full_site.store.count(TaxonomyLocked) == 1


@pytest.fixture
def two_sites(full_site):
    """A second site is mapped and at work, and nobody demonstrated anything there."""
    mapped = audit.require_latest_deployment(full_site)
    first = dataclasses.replace(mapped.sites[0], share=0.8)
    second = dataclasses.replace(mapped.sites[0], id="gdansk", share=0.2)
    strata = [Exposure(Stratum.of({**e.stratum.levels, "site": site.id}), e.share * site.share)
              for e in mapped.exposures for site in (first, second)]  # fmt: skip
    full_site.write(DeploymentMapped(dataclasses.replace(mapped, sites=(first, second), measured=tuple(strata))))
    tried = full_site.store.find(Outcome, {"stage": Stage.PRODUCTION}, limit=1)[0]
    there = Stratum.of({**tried.stratum.levels, "site": "gdansk"})
    here = dataclasses.replace(tried, site="gdansk", stratum=there)
    full_site.write(*(OutcomeRecorded(dataclasses.replace(here, id=f"g{n}", at_ns=NOW - n))
                 for n in range(30)))  # fmt: skip
    return full_site


def test_a_site_in_production_without_its_set_is_named_in_audit_page_and_plan(two_sites):
    (early,) = note_live_sites_without_set(two_sites, audit.require_latest_deployment(two_sites))
    assert (early.code, early["site"], early["attempts"]) == ("plan.live_without_set", "gdansk", 30)
    assert [d.code for d in early.details] == ["plan.live_few_shown", "plan.live_not_gated", "plan.before_go_live"]
    assert "gdansk is already in production (30 attempts)." in str(page.draw(Visit(two_sites)))
    (warned,) = (w for w in plan.plan(two_sites, budget=20).warnings if w.code == "plan.live_without_set")
    assert (warned.details[0]["have"], warned.details[0]["needed"]) == (0, 5)
    assert warned.details[1].code == "plan.set_completed"


def test_a_gate_passed_there_is_not_reported_as_missing(two_sites):
    two_sites.write(PolicyGated(Decision("d9", "c" * 64, Status.PASSED, (), "f", NOW, site="gdansk")))
    (early,) = note_live_sites_without_set(two_sites, audit.require_latest_deployment(two_sites))
    assert "plan.live_not_gated" not in {detail.code for detail in early.details}


def test_a_primary_site_that_the_map_does_not_have_is_refused_as_by_a_plan(two_sites):
    two_sites.__dict__["operations"] = parse_operations('[plan.primary_site]\nvalue = "gdnask"\n', "operations.toml")
    with pytest.raises(UnknownName, match=r"plan\.primary_site.*Did you mean 'gdansk'"):
        note_live_sites_without_set(two_sites, audit.require_latest_deployment(two_sites))


def test_one_site_alone_has_no_further_ones(full_site):
    assert note_live_sites_without_set(full_site, audit.require_latest_deployment(full_site)) == ()
