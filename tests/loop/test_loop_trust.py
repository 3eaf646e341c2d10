"""A sealed record is there whole or not at all, holds no digest of a token, and shows where it was touched."""

import json

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.house import tokens
from fieldloop.loop.run import trust
from fieldloop.loop.work import atomic_files
from fieldloop.model.finding import Status
from fieldloop.model.person import Role
from fieldloop.model.person_event import TokenIssued


@pytest.fixture
def sealed(full_site, tmp_path):
    tokens.issue_token(full_site, "op-7", role=Role.OPERATOR)
    file = tmp_path / "evidence.json"
    return file, trust.write_evidence_record(full_site, "p1", file)


def test_what_was_written_verifies(full_site, sealed):
    file, found = sealed
    assert found.links == full_site.store.get_last_seq() + 1
    checked = trust.verify_evidence(file)
    assert (checked.status, checked.links, checked.head) == (Status.PASSED, found.links, found.head)


def test_the_first_broken_link_is_named(sealed):
    file, _ = sealed
    pack = json.loads(file.read_text())
    pack["links"][5]["record"]["body"]["actor"] = "somebody else"
    file.write_text(json.dumps(pack))
    checked = trust.verify_evidence(file)
    assert (checked.status, checked.broken_at) == (Status.FAILED, 5)
    assert (checked.message.code, checked.message["position"]) == ("trust.link_changed", 5)


def test_a_cut_off_end_is_seen(sealed):
    file, _ = sealed
    pack = json.loads(file.read_text())
    pack["links"].pop()
    file.write_text(json.dumps(pack))
    assert trust.verify_evidence(file).message.code == "trust.other_head"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a sealed record"),
        (b"\xff\xfe\x00", "not a sealed record"),
        (b"[]", "not a sealed record"),
        (b'{"schema": "check/1"}', "has the schema 'check/1'"),
        (b'{"schema": "evidence/1", "head": "", "links": [{"position": 0}]}', "not a sealed record"),
        (b'{"schema": "evidence/1", "head": "", "links": 3}', "not a sealed record"),
    ],
)
def test_what_is_not_a_record_is_refused(tmp_path, content, says):
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=says):
        trust.verify_evidence(file)


def test_a_missing_file_or_folder_is_reported(full_site, tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        trust.verify_evidence(tmp_path / "nowhere.json")
    with pytest.raises(BadInput, match="does not exist"):
        trust.write_evidence_record(full_site, "p1", tmp_path / "nowhere" / "evidence.json")
    with pytest.raises(BadInput, match="is a folder"):
        trust.write_evidence_record(full_site, "p1", tmp_path)


def test_a_write_that_breaks_leaves_the_old_record_and_nothing_beside_it(full_site, sealed, monkeypatch):
    file, _ = sealed
    before, beside = file.read_bytes(), sorted(file.parent.iterdir())

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    with pytest.raises(BadInput, match="No space left"):
        trust.write_evidence_record(full_site, "p1", file)
    assert file.read_bytes() == before
    assert sorted(file.parent.iterdir()) == beside


def test_no_digest_of_a_token_leaves_the_house(full_site, sealed):
    (issued,) = full_site.store.events(TokenIssued)
    text = sealed[0].read_text()
    assert issued.event.token.sha256 not in text
    assert issued.event.token.id in text


def test_what_happens_while_it_is_sealed_waits_for_the_next_record(full_site, tmp_path, monkeypatch):
    until, tail = full_site.store.get_last_seq(), type(full_site.store).read_tail

    def busy(store, after=0, limit=1000):
        store.append([next(store.events(TokenIssued)).event], actor="eva", at_ns=0)
        return tail(store, after, limit)

    tokens.issue_token(full_site, "op-7", role=Role.OPERATOR)
    monkeypatch.setattr(type(full_site.store), "read_tail", busy)
    assert trust.write_evidence_record(full_site, "p1", tmp_path / "evidence.json").links == until + 2
