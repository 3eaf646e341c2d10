"""Downloads: what a use case writes goes to the browser, and nothing stays on the server."""

import io
import tempfile
import zipfile
from pathlib import Path

import pytest
from tests.doors.visitor import AWAY, Visitor
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.api import downloads
from fieldloop.api.app import build_app
from fieldloop.errors import BadInput
from fieldloop.loop.annotate import deal, save
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.person import Role

CASES = tuple(case for case in USE_CASES if case.command.split()[0] in ("annotate", "agree", "ingest"))
FIRST, SECOND = (segments(("approach", 0, end), ("grasp", end, 8)) for end in (3, 4))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        for person, labels in (("anna", FIRST), ("ben", SECOND)):
            save.save_labels(acting(opened, person), "e0", segments_text=labels, submit=True)
        yield opened


@pytest.fixture
def visitor(here):
    return Visitor(build_app(lambda: here, CASES))


def fetch(visitor, path, **body):
    answer = visitor.post(f"/api/{path}/download", json=body)
    return answer, answer.headers.get("Content-Disposition", "")


def test_labels_come_as_a_table_and_as_a_zip(here, visitor):
    answer, how = fetch(visitor, "annotate/export", to="csv", out="labels.csv")
    assert how == 'attachment; filename="labels.csv"'
    assert [row.split(",")[5] for row in answer.text.splitlines()[1:]] == ["anna", "anna", "ben", "ben"]
    answer, how = fetch(visitor, "annotate/export", to="elan", out="labels", author=["anna"])
    assert how == 'attachment; filename="labels.zip"'
    assert zipfile.ZipFile(io.BytesIO(answer.content)).namelist() == ["labels/e0.eaf"]
    assert not (here.root / "outbox").exists()


def test_the_report_of_agreement_is_one_page(here, visitor):
    answer, how = fetch(visitor, "agree", html="agreement.html")
    assert how == 'attachment; filename="agreement.html"'
    assert "Agreement of anna and ben" in answer.text
    assert not (here.root / "outbox").exists()


@pytest.mark.parametrize(("path", "body", "words"), [
    ("agree", {}, "Name the file to download in html"),
    ("agree", {"html": "../x.html"}, "must be a plain file name"),
    ("annotate/export", {"to": "labelstudio", "out": "l.json"}, "State the frame rate"),
    ("annotate/export", {"to": "csv", "out": "l.csv", "autor": ["anna"]}, "author"),
])  # fmt: skip
def test_what_cannot_be_made_is_refused(visitor, path, body, words):
    answer, _ = fetch(visitor, path, **body)
    assert answer.status_code in (403, 422)
    assert words in answer.json()["detail"]


def test_only_what_reads_can_be_downloaded(visitor):
    assert visitor.post("/api/annotate/save/download", json={}).status_code == 404


def test_independent_annotators_download_no_labels_of_others(here):
    save.save_labels(acting(here, "anna"), "e1", segments_text=FIRST, submit=True)
    deal.deal_tasks(here, ("e1",), annotator=("anna", "cem"))
    secret = issue_token(here, "cem", role=Role.ANNOTATOR).secret
    away = Visitor(build_app(lambda: here, CASES), AWAY, host="site.example", authorization=f"Bearer {secret}")
    answer, _ = fetch(away, "annotate/export", to="csv", out="labels.csv", episode=["e1"])
    assert "anna" not in answer.text


def test_nothing_written_is_refused_and_no_folder_stays_behind(visitor, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    for body in ({"to": "csv", "out": "labels.csv"}, {"to": "elan", "out": "labels"}, {"to": "csv", "out": "../x"}):
        fetch(visitor, "annotate/export", **body)
        assert not list((tmp_path / "t").iterdir())
    case = next(one for one in CASES if one.command == "annotate export")
    with pytest.raises(BadInput, match="Nothing was written"):
        downloads.answer_with_files(case, {"out": Path("labels.csv")}, lambda values: values)
    assert not list((tmp_path / "t").iterdir())
