"""Every measured figure in README and docs has a source that is on record: bench/results/figures.toml."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from docs.generate import PAGES

ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads((ROOT / "bench/results/figures.toml").read_text(encoding="utf-8"))
FIGURES, PAGE_SOURCES, EXAMPLES = LISTED["figure"], LISTED["page"], LISTED["example"]
MEASURED = re.compile(
    r"\d[\d,.]*( to \d[\d,.]*)? ?(%|×|points\b|[MG]B\b|ms\b|s\b|px\b|times\b)"
    r"|\b\d[\d,]* of (the )?\d[\d,]*\b"
    r"|\b\d[\d,]* (planned |more laboratory |)demonstrations\b"
)


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def prose(page):
    """A page without code blocks and comments."""
    return re.sub(r"(?ms)^```.*?^```|^    .*?$|<!--.*?-->", "", read(page))


def uncovered(page, texts):
    """Figures on a page that stand in none of the texts."""
    written = prose(page)
    for text in texts:
        written = written.replace(text, "")
    return [written[max(0, m.start() - 60) : m.end() + 20] for m in MEASURED.finditer(written)]


def test_ids_are_unique():
    ids = [figure["id"] for figure in FIGURES]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["id"])
def test_a_figure_stands_on_its_page_and_its_source_says_the_same(figure):
    assert figure["text"] in read(figure["page"]), "the page quotes something else: change the entry with the page"
    if "key" in figure:
        found = json.loads(read(figure["file"]))[figure["key"]]
        value = found["value"] if isinstance(found, dict) else found
        assert format(value * figure.get("scale", 1), figure.get("as", ",.0f")) in figure["text"]
    elif "file" in figure:
        for row in figure["rows"]:
            assert row in read(figure["file"]), f"{figure['file']} does not say: {row}"
    else:
        assert {"command", "commit", "n"} <= figure.keys(), "without a file, state command, commit and n"


def test_readme_quotes_no_figure_without_an_entry():
    texts = [each["text"] for each in (*FIGURES, *EXAMPLES) if each["page"] == "README.md"]
    assert uncovered("README.md", sorted(texts, key=len, reverse=True)) == []


def test_docs_with_figures_state_where_they_come_from():
    listed = {each["page"] for each in PAGE_SOURCES} | {f"docs/{page}" for page in PAGES}
    with_figures = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if uncovered(f"docs/{path.name}", [])}
    assert with_figures <= listed, "add a [[page]] to figures.toml: command, recorded, n"


@pytest.mark.parametrize("source", PAGE_SOURCES, ids=lambda source: f"{source['page']} {source['what']}")
def test_the_source_of_a_page_is_complete(source):
    assert (ROOT / source["page"]).is_file()
    assert {"command", "recorded", "n"} <= source.keys()
    if "file" in source:
        assert (ROOT / source["file"]).is_file()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["text"][:30])
def test_an_example_is_on_its_page_and_says_why_it_needs_no_source(example):
    assert example["text"] in read(example["page"])
    assert example["why"]
