"""Two protocols compared: every change is told once, with what follows from it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check import fingerprint_measuring_numbers
from fieldloop.loop.protocol.named import list_example_protocols, read_example_protocol
from fieldloop.protocol import Effect, compare_protocols, default_protocol, parse_protocol

CHANGES = [
    ("[check.timing.longest_gap]\nmax = 2.0", "check.timing.longest_gap", Effect.JUDGE),
    ("[check.timing.longest_gap]\nmax = 1.0000001", "check.timing.longest_gap", Effect.JUDGE),
    ("[check.timing.longest_gap]\nrequired = true", "check.timing.longest_gap", Effect.JUDGE),
    ("[check.timing.longest_gap]\ncost = 0.9", "check.timing.longest_gap.cost", Effect.JUDGE),
    ('[check.timing.longest_gap]\nwhy = "Otherwise."', "check.timing.longest_gap.why", Effect.WORDS),
    (
        "[check.force.window]\nparameters = { contact_n = 2.0 }",
        "check.force.window.parameters.contact_n",
        Effect.MEASURE,
    ),
    ("[episode]\nmoving_rad_s = 0.06", "episode.moving_rad_s", Effect.MEASURE),
    ("[check.adherence.pre_roll]\nmin = 1.5", "check.adherence.pre_roll", Effect.MEASURE),
    ("[task]\ncover_x_m = [0.2, 0.6]", "task.cover_x_m", Effect.JUDGE),
    ("[episode]\nfailures_kept = false", "episode.failures_kept", Effect.COLLECT),
    ("[task]\ntarget_cycle_s = 9.5", "task.target_cycle_s", Effect.MEASURE),
    ('[task]\nstart = "closed"', "task.start", Effect.COLLECT),
    ('[task]\ninterfaces = ["vr"]', "task.interfaces", Effect.COLLECT),
    ("[annotation]\nmin_kappa = 0.7", "annotation.min_kappa", Effect.JUDGE),
    ('[[phase]]\nname = "lift"', "phase", Effect.MEASURE),
    ("[interface.vr.limits.tool_speed]\nmax = 0.4", "interface.vr.limits.tool_speed", Effect.MEASURE),
    ('[interface.vr]\nrecovery = "Stop."', "interface.vr.recovery", Effect.COLLECT),
    ('[edge_cases.fallen_off]\nlabel = "lost"', "edge_cases.fallen_off.label", Effect.COLLECT),
    ("[balance.outcome]\nshares = { succeeded = 1.0 }", "balance.outcome", Effect.JUDGE),
    ('[sensors.joints]\nkind = "joint_position"', "sensors.joints", Effect.MEASURE),
    ('[viewpoints.a]\nmounted = "Up."', "viewpoints.a", Effect.COLLECT),
    ('[synchronisation.a]\nsynchronised_by = "PTP"', "synchronisation.a", Effect.COLLECT),
]


@pytest.mark.parametrize(("text", "place", "effect"), CHANGES, ids=[place for _, place, _ in CHANGES])
def test_one_change_is_reported_once_with_what_follows(text, place, effect):
    changed = compare_protocols(default_protocol(), parse_protocol(text))
    assert [(c.place, c.effect) for c in changed.changes] == [(place, effect)]
    (change,) = changed.changes
    assert change.before != change.after


def test_a_limit_says_which_way_it_moved():
    def note(old, new):
        head = "[check.adherence.duration]\n"
        return compare_protocols(parse_protocol(head + old), parse_protocol(head + new)).changes[0].note

    assert note("max = 60", "max = 70") == "looser"
    assert note("max = 60", "max = 50") == "stricter"
    assert note("min = 5\nmax = 60", "min = 6\nmax = 70") == "moved"
    assert note("required = false", "required = true") == ""


def test_equal_protocols_are_reported_as_the_same():
    same = compare_protocols(default_protocol(), parse_protocol("[protocol]\nversion = 2"))
    assert same.changes == ()
    assert "are the same" in same.sentence
    assert not same.needs_judging


def test_the_sentence_says_the_most_work_and_names_the_checks():
    changed = compare_protocols(default_protocol(), parse_protocol(CHANGES[0][0] + "\n[annotation]\nmin_kappa = 0.7"))
    assert changed.sentence.startswith("2 × judge again. Stored measurements are still valid")
    assert changed.checks == ("timing.longest_gap",)
    assert (changed.needs_judging, changed.needs_measuring) == (True, False)


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from(range(len(CHANGES))), max_size=6), st.sampled_from(["", *list_example_protocols()]))
def test_laws_of_comparing(chosen, example):
    tables: dict[str, str] = {}
    for index in sorted(chosen):
        head, _, body = CHANGES[index][0].partition("\n")
        tables.setdefault(head, body)
    before = parse_protocol(read_example_protocol(example)) if example else default_protocol()
    after = parse_protocol("\n".join(f"{head}\n{body}" for head, body in tables.items()))
    there, back = compare_protocols(before, after), compare_protocols(after, before)
    assert {(c.place, c.effect) for c in there.changes} == {(c.place, c.effect) for c in back.changes}
    assert [c.before for c in there.changes] == [c.after for c in back.changes]
    assert there.needs_measuring == (fingerprint_measuring_numbers(before) != fingerprint_measuring_numbers(after))
    beyond_words = any(c.effect is not Effect.WORDS for c in there.changes)
    assert beyond_words == (before.fingerprint != after.fingerprint)
    assert not compare_protocols(before, before).changes


def test_questions_about_many_need_no_log_again():
    text = "[check.batch.operator_share]\nparameters = { min_episodes = 5.0 }"
    assert not compare_protocols(default_protocol(), parse_protocol(text)).needs_measuring


def test_a_yardstick_says_why_it_asks_to_measure_again():
    (changed,) = [
        c
        for c in compare_protocols(default_protocol(), parse_protocol("[task]\ntarget_cycle_s = 9")).changes
        if not c.check
    ]
    assert (changed.place, changed.effect) == ("task.target_cycle_s", Effect.MEASURE)
    assert changed.note == "throughput.cycle_time is kept as a multiple of it"
