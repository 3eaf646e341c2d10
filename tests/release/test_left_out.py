"""Episodes left out of a release for the same kind of reason are one group, with what admits them."""

from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.release import Release
from fieldloop.release.assemble import make_not_passed_note
from fieldloop.say import write_sentence


def left_out(status, *reasons):
    findings = [
        Finding("integrity.readable", Subject("end"), status, 0.0, None, 0.0, "defects", None, why) for why in reasons
    ]
    notes = tuple((f"id{n}", make_not_passed_note("release.not_passed", one)) for n, one in enumerate(findings))
    return Release("", "r", (), (), (), "p", "", (), "", excluded=notes)


def at_byte(byte, steps):
    return note(
        "check.defect", where=f"record {byte}, byte {byte * 97}",
        defect=note("ingest.mark_missing", steps=steps, edge="end"), others=None, more=None,
    )  # fmt: skip


def test_defects_that_differ_by_bytes_are_one_group_with_a_next_step():
    (group,) = left_out(Status.CANNOT_TELL, *(at_byte(n, 10 + n) for n in range(25))).group_left_out()
    assert (len(group.episodes), group.same_text) == (25, False)
    sentence = write_sentence(group.next_step)
    assert "required = false" in sentence
    assert "under check.integrity.readable" in sentence


def test_other_reasons_stay_apart():
    other = note("check.defect", where="record 1", defect=note("ingest.file_empty"), others=None, more=None)
    groups = left_out(Status.FAILED, at_byte(1, 10), other, at_byte(2, 10)).group_left_out()
    assert [one.episodes for one in groups] == [("id0", "id2"), ("id1",)]
    assert all(one.next_step is None for one in groups)
