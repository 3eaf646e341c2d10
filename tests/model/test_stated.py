"""Facts that people state: the log's own fact stays on record, and a cleared one does not come back."""

from dataclasses import replace

from fieldloop.model.episode import Episode, Stated
from fieldloop.model.stated import apply_statements, find_conflicting_statements

TAKE = Episode("e1", "take 1", "mcap", site="lab")


def test_the_logs_fact_stays_on_record_after_a_person_stated_the_same():
    agreed = apply_statements(TAKE, [Stated("site", "lab", "anna")])
    assert (agreed.stated[0].in_log, find_conflicting_statements(agreed, ["site"])) == ("lab", ())
    moved = apply_statements(agreed, [Stated("site", "hall", "bert")])
    assert [(one.in_log, one.instead_of) for one in find_conflicting_statements(moved, ["site"])] == [("lab", "lab")]


def test_a_log_that_states_nothing_is_no_conflict():
    named = apply_statements(
        apply_statements(TAKE, [Stated("operator", "anna", "x")]), [Stated("operator", "bert", "x")]
    )
    assert (named.stated[0].in_log, find_conflicting_statements(named, ["operator"])) == ("", ())


def test_a_statement_of_an_earlier_version_keeps_what_it_recorded():
    older = replace(TAKE, site="hall", stated=(Stated("site", "hall", "anna", instead_of="lab"),))
    assert apply_statements(older, [Stated("site", "yard", "anna")]).stated[0].in_log == "lab"


def test_a_cleared_class_of_failure_does_not_come_back():
    failed = [Stated("succeeded", "false", "anna"), Stated("failure", "grasp", "anna")]
    cleared = apply_statements(apply_statements(TAKE, failed), [Stated("succeeded", "unknown", "anna")])
    assert [one.name for one in cleared.stated] == ["succeeded"]
    failed_again = apply_statements(cleared, [Stated("succeeded", "false", "anna")])
    assert apply_statements(TAKE, failed_again.stated).failure == failed_again.failure == ""
