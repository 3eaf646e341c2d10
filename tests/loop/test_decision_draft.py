"""The draft of a decision: any lead goes on from it, it counts nowhere, and a decision closes it."""

import pytest
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate import adjudicate, deal, labels, save
from fieldloop.loop.annotate.decision_draft import keep_decision_draft, show_decision_draft
from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import ADJUDICATED
from fieldloop.model.person import Duty, Role

FIRST, SECOND, DRAWN = (segments(("approach", 0, end), ("grasp", end, 8)) for end in (3, 4, 3.5))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        for person, labels in (("anna", FIRST), ("ben", SECOND)):
            save.save_labels(acting(opened, person), "e0", segments_text=labels, submit=True)
        yield opened


def lead(workspace, name="lea"):
    return acting(workspace, name, Role.ANNOTATOR, Duty.LEAD_ANNOTATOR)


def test_another_lead_goes_on_from_the_draft_and_an_older_one_is_refused(here):
    assert not show_decision_draft(lead(here), "e0").open
    first = keep_decision_draft(lead(here), "e0", segments_text=FIRST)
    assert keep_decision_draft(lead(here), "e0", segments_text=FIRST) == first, "sent twice"
    seen = show_decision_draft(lead(here, "max"), "e0")
    assert (seen.open, seen.revision, seen.segments) == (True, 1, first.segments)
    keep_decision_draft(lead(here, "max"), "e0", segments_text=DRAWN, revision=1)
    with pytest.raises(ChangedMeanwhile, match="at revision 2"):
        keep_decision_draft(lead(here), "e0", segments_text=SECOND, revision=1)
    assert not here.store.find(Annotation, {"author": ADJUDICATED})


def test_a_decision_closes_the_draft_and_the_next_draft_follows_it(here):
    keep_decision_draft(lead(here), "e0", segments_text=DRAWN)
    adjudicate.adjudicate_labels(lead(here), "e0", take="anna")
    closed = show_decision_draft(lead(here), "e0")
    assert (closed.open, closed.revision, closed.segments) == (False, 1, ())
    assert keep_decision_draft(lead(here), "e0", segments_text=DRAWN, revision=1).revision == 2


def test_an_unfinished_draft_is_kept_with_its_problems(here):
    kept = keep_decision_draft(lead(here), "e0", segments_text=segments(("approach", 0, 4), ("grasp", 3, 8)))
    assert [one.code for one in kept.problems] == ["annotate.overlap"]
    assert show_decision_draft(lead(here), "e0").problems == kept.problems


def test_only_leads_see_drafts_and_not_where_labels_are_hidden_from_them(here):
    keep_decision_draft(lead(here), "e0", segments_text=DRAWN)
    for call in (show_decision_draft, lambda w, e: keep_decision_draft(w, e, segments_text=DRAWN, revision=1)):
        with pytest.raises(Refused, match="Only a lead annotator"):
            call(acting(here, "anna"), "e0")
    deal.deal_tasks(here, ("e0",), annotator=("lea", "cem"))
    assert not show_decision_draft(lead(here), "e0").segments


def test_a_lead_who_labels_independently_neither_drafts_nor_decides_before_the_own_labels_are_handed_in(here):
    keep_decision_draft(lead(here), "e0", segments_text=DRAWN)
    deal.deal_tasks(here, ("e0",), annotator=("lea", "cem"))
    for call in (
        lambda: keep_decision_draft(lead(here), "e0", segments_text=DRAWN, revision=1),
        lambda: keep_decision_draft(lead(here), "e0", segments_text=FIRST, revision=1),
        lambda: show_decision_draft(lead(here), "e0", to=1),
        lambda: adjudicate.adjudicate_labels(lead(here), "e0", take="anna"),
    ):
        with pytest.raises(Refused, match="Hand in your own phase labels of e0 first"):
            call()
    assert labels.list_label_revisions(lead(here), "e0", author=ADJUDICATED) == ()
    assert show_decision_draft(lead(here, "max"), "e0").revision == 1, "nothing was overwritten"
    save.save_labels(lead(here), "e0", segments_text=SECOND, submit=True)
    assert adjudicate.adjudicate_labels(lead(here), "e0", take="anna").taken == "anna"


def test_leads_list_earlier_drafts_of_a_decision_and_go_on_from_one(here):
    first = keep_decision_draft(lead(here), "e0", segments_text=FIRST)
    keep_decision_draft(lead(here, "max"), "e0", segments_text=SECOND, revision=1)
    listed = labels.list_label_revisions(lead(here), "e0", author=ADJUDICATED)
    assert [(one.revision, one.submitted) for one in listed] == [(1, False), (2, False)]
    again = show_decision_draft(lead(here), "e0", to=1)
    assert (again.revision, again.segments) == (2, first.segments)
    with pytest.raises(BadInput, match="has no revision 7; the newest is 2"):
        show_decision_draft(lead(here), "e0", to=7)
    with pytest.raises(Refused, match="Only a lead annotator"):
        labels.list_label_revisions(acting(here, "anna"), "e0", author=ADJUDICATED)
