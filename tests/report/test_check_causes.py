"""Findings grouped by cause: counts, order by harm, warnings apart, questions of a protocol apart."""

import re
from dataclasses import replace

import pytest

from fieldloop.check.ranking import rank_episodes
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import NO_SUBJECT, Subject, note, read_note
from fieldloop.protocol import default_protocol
from fieldloop.report import check as report_of
from fieldloop.report.check.episode_names import use_names_apart
from fieldloop.report.check.phrases import write_cause_advice, write_cause_title, write_worst_finding
from fieldloop.say import write_sentence

NO_PROTOCOL = note("check.no_protocol")


def found(check="vision.covered", status=Status.FAILED, measured=1.0, stream="camera/left", cost=0.5, **more):
    more = {"required": False, "about": Subject(stream) if stream else NO_SUBJECT} | more
    about = more.pop("about")
    return Finding(check, about, status, measured, None, 0.02, "share of frames", cost=cost, **more)


def unknown(check, reason, **more):
    return found(check, Status.CANNOT_TELL, None, "", 0.0, reason=reason, **more)


def episode(number, *findings):
    return EpisodeReport(f"id{number}", f"e{number}", Status.FAILED, findings)


def defect(text, subject):
    reason = note("check.defect", where="row 1", defect=read_note(text) if " " in text else note(text))
    return found("integrity.readable", measured=1.0, about=Subject(subject), reason=reason, cost=0.8)


def test_equal_findings_are_one_cause_with_its_count_and_the_worst():
    episodes = [episode(n, found(measured=0.5 + n / 100)) for n in range(45)] + [episode(n) for n in range(45, 50)]
    (cause,) = report_of.group_by_cause(episodes).failures
    assert (cause.check, len(cause.episodes), cause.total) == ("vision.covered", 45, 50)
    assert (cause.worst.measured, cause.episodes[0].name) == (0.94, "e44")
    assert cause.harm == pytest.approx(0.45)
    assert write_cause_title(cause) == "camera/left, 45 of 50 episodes"
    assert write_worst_finding(cause).startswith("Worst, in e44: 94 % of frames show no edges")


def test_causes_are_ordered_by_harm_not_by_the_number_of_findings():
    often = [found("timing.jitter", stream=f"s{n}", cost=0.2) for n in range(9)]
    episodes = [episode(n, *often, found(measured=1.0)) for n in range(4)]
    rare = episode(4, found("motion.units", cost=0.9))
    causes = report_of.group_by_cause([*episodes, rare], [found("corpus.duplicates", cost=0.5)]).failures
    assert [cause.check for cause in causes] == [
        "corpus.duplicates", "vision.covered", "motion.units", "timing.jitter"
    ]  # fmt: skip
    assert [len(cause.subjects) for cause in causes] == [1, 1, 1, 9]


def test_defects_of_one_kind_are_one_cause_and_other_kinds_are_not():
    episodes = [
        episode(n, *(defect("ingest.short_array", f"data/{n}/{k}") for k in range(3)), defect("An index is gone.", "x"))
        for n in range(2)
    ]
    first, second = report_of.group_by_cause(episodes).failures
    assert {len(first.places), len(second.places)} == {6, 2}
    assert first.is_defect


def test_warnings_are_apart_from_failures_and_from_what_cannot_be_told():
    harmless = unknown("integrity.described", note("check.defect", where="", defect=note("ingest.dtype")))
    required = unknown("integrity.readable", note("check.no_known_stream"), required=True)
    quiet = unknown("motion.idle_head", note("check.nothing_moves"))
    causes = report_of.group_by_cause([episode(0, harmless, required, quiet, found())])
    assert [cause.check for cause in causes.failures] == ["vision.covered"]
    assert {cause.check for cause in causes.warnings} == {"integrity.described", "integrity.readable"}
    assert [one.checks for one in causes.unknown] == [("motion.idle_head",)]


def test_questions_of_a_protocol_are_apart_while_none_is_named():
    asked = [
        unknown("adherence.phases", NO_PROTOCOL),
        unknown("adherence.duration", note("check.no_rate")),
        unknown("motion.max_speed", note("check.fastest_joint", NO_PROTOCOL)),
    ]
    other = unknown("motion.idle_head", note("check.no_rate"))
    operators = unknown("batch.operators", note("check.operators_missing", episodes=1, missing=1))
    causes = report_of.group_by_cause([episode(0, *asked, other)], [operators])
    assert [one.checks for one in causes.unknown] == [("motion.idle_head",)]
    assert {check for one in causes.by_protocol for check in one.checks} == {
        "adherence.phases", "adherence.duration", "motion.max_speed", "batch.operators"
    }  # fmt: skip
    assert [step.code for step in causes.next_steps] == ["check.only_a_protocol_asks"]
    some = report_of.group_by_cause([episode(0, *asked), episode(1, other), episode(2, asked[0])])
    assert "2 of 3 episodes name no protocol" in write_sentence(some.next_steps[0])
    named = report_of.group_by_cause([episode(0, asked[1])])
    assert [one.checks for one in named.unknown] == [("adherence.duration",)]
    assert named.next_steps == ()


@pytest.mark.parametrize(
    "finding",
    [
        unknown("metadata.units", note("check.no_units", names=("joints",))),
        unknown("integrity.readable", note("check.no_known_stream"), required=True),
    ],
)
def test_a_mapping_is_suggested_where_unit_or_meaning_is_unknown(finding):
    steps = report_of.group_by_cause([episode(0, finding)]).next_steps
    assert "check.mapping_helps" in [step.code for step in steps]


def test_one_reason_of_many_checks_is_one_entry():
    reason = note("check.generated_stamps")
    findings = [unknown(f"timing.{name}", reason) for name in ("rate", "jitter", "longest_gap")]
    (one,) = report_of.group_by_cause([episode(n, *findings) for n in range(7)]).unknown
    assert (one.checks, one.answers, one.alike) == (("timing.rate", "timing.jitter", "timing.longest_gap"), 21, True)


def test_a_fix_is_offered_once():
    fix = Fix(FixKind.TRIM, note("check.no_rate"))
    (cause,) = report_of.group_by_cause([episode(n, found(fix=fix)) for n in range(3)]).failures
    assert cause.fixes == (FixKind.TRIM,)
    assert write_cause_advice(cause).count("trim") == 1


# ── JSON and page


def report(*episodes, dataset=()):
    return report_of.CheckReport("x", "mcap", default_protocol(), episodes, dataset)


def test_json_leaves_out_what_does_not_apply_unless_asked():
    beside = Finding("depth.noise", NO_SUBJECT, Status.NOT_APPLICABLE, None, None, 1.0, "mm", required=False)
    counts = Finding("vision.covered", NO_SUBJECT, Status.NOT_APPLICABLE, None, None, 1.0, "mm", required=True)
    made = report(episode(0, beside, counts, found()), dataset=(beside,))

    def checks(**asked):
        got = report_of.build_report_json(made, **asked)
        return [f["check"] for f in got["episodes"][0]["findings"]], [f["check"] for f in got["dataset"]["findings"]]

    assert checks() == (["vision.covered", "vision.covered"], [])
    assert checks(include_passed=True) == (["depth.noise", "vision.covered", "vision.covered"], ["depth.noise"])


def test_json_lists_causes_with_their_episodes():
    got = report_of.build_report_json(report(*(episode(n, found()) for n in range(3))))
    (cause,) = got["causes"]
    assert (cause["check"], cause["about"], cause["findings"]) == ("vision.covered", ["camera/left"], 3)
    assert [one["name"] for one in cause["episodes"]] == ["e0", "e1", "e2"]


def test_the_page_says_each_thing_once_and_explains_every_check_it_names():
    made = report(*(episode(n, found(measured=0.5), unknown("timing.rate", NO_PROTOCOL)) for n in range(30)))
    text = report_of.render_check_page(made)
    assert text.count("50 % of frames show no edges") == 1
    assert text.index("Failures") < text.index("Cannot tell") < text.index("All episodes")
    links = set(re.findall(r'href="#(check-[^"]+)"', text))
    assert links == {"check-vision.covered", "check-timing.rate"}
    assert links <= set(re.findall(r'id="(check-[^"]+)"', text))


# ── several files


def unclear(*names):
    reason = note("check.not_understood", streams=len(names), names=names, more=None)
    return found("integrity.readable", Status.CANNOT_TELL, 0.0, "", 0.0, reason=reason, required=True)


def test_a_reason_counts_only_the_episodes_that_have_it():
    of_files = {"door": ("door_pos", "obs"), "pen": ("obj_pos",)}
    episodes = [
        EpisodeReport(f"{file}{n}", f"e{n}", Status.CANNOT_TELL, (unclear(*names),))
        for file, names in of_files.items()
        for n in range(2)
    ]
    causes = report_of.group_by_cause(episodes).warnings
    assert {(cause.worst.reason["names"], len(cause.episodes), cause.total) for cause in causes} == {
        (("door_pos", "obs"), 2, 4),
        (("obj_pos",), 2, 4),
    }


def test_many_reasons_of_one_check_stay_one_cause_whose_example_names_its_episode():
    episodes = [episode(n, unclear(f"topic_{n}")) for n in range(12)]
    (cause,) = report_of.group_by_cause(episodes).warnings
    assert (len(cause.episodes), cause.have_findings_same_text) == (12, False)
    assert "e0" in write_worst_finding(cause).partition(":")[0]


def test_equal_reasons_need_no_example():
    (cause,) = report_of.group_by_cause([episode(n, unclear("obs")) for n in range(12)]).warnings
    assert cause.have_findings_same_text
    assert "e0" not in write_worst_finding(cause)


def test_defects_of_several_files_name_the_file_of_the_one_shown():
    several = [defect("ingest.short_array", f"{name}.h5/mask") for name in "ab"]
    several[1] = replace(several[1], reason=note("check.defect", where="row 2", defect=note("ingest.short_array")))
    (cause,) = report_of.group_by_cause([episode(0), episode(1)], several).failures
    assert cause.worst.subject in write_worst_finding(cause).partition(": ")[0]


def test_the_page_names_the_file_where_names_repeat_and_the_json_keeps_names():
    made = replace(
        report(*(EpisodeReport(f"id{n}", name, Status.FAILED, (found(),)) for n, name in enumerate("xxy"))),
        logs=("a.h5", "b.h5", "b.h5"),
    )
    made = replace(made, ranking=rank_episodes(made.episodes))
    text = report_of.render_check_page(made)
    assert "a.h5/x" in text
    assert "b.h5/x" in text
    assert "b.h5/y" not in text
    assert [one["name"] for one in report_of.build_report_json(made)["episodes"]] == ["x", "x", "y"]
    assert [look.name for look in use_names_apart(made).ranking.looks] == ["a.h5/x", "b.h5/x", "y"]


def test_what_misleads_comes_before_episodes_that_are_not_in_this_part():
    absent = note("check.defect", where="meta", defect=note("ingest.episodes_without_data", count=98, listed=100))
    dataset = [found("corpus.defects", measured=1.0, stream="", reason=absent, cost=0.8)]
    failures = report_of.group_by_cause([episode(0, found("vision.repeated_frames", cost=0.3))], dataset).failures
    assert [cause.check for cause in failures] == ["vision.repeated_frames", "corpus.defects"]
