"""The OpenAPI document is true: what routes answer fits the schemas it states, and the page /docs lists them."""

import jsonschema
import pytest
from tests.doors.story import story_workspace
from tests.doors.visitor import Visitor

from fieldloop.api.app import build_app
from fieldloop.api.routes import uses_get_method
from fieldloop.doors.signatures import read_parameters_from_source
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.ui import mount_ui

NEEDS = {
    "ingest show": {"episode": "04" * 32},
    "release show": {"release": "e" * 64},
    "gate show": {"policy": "c" * 64},
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    workspace = story_workspace(tmp_path_factory.mktemp("answers") / "w")
    app = build_app(lambda: workspace)
    mount_ui(app, lambda: workspace)
    yield app
    workspace.close()


@pytest.fixture(scope="module")
def document(app):
    return Visitor(app).get("/api/openapi.json").json()


def answerable():
    """Reads that need no parameter, or whose parameters are in NEEDS."""
    for case in USE_CASES:
        ask = read_parameters_from_source(case)
        needed = {p.name for p in ask.parameters if p.required}
        if uses_get_method(case, ask) and not case.no_route and needed <= set(NEEDS.get(case.command, {})):
            yield case


def as_draft(schema, components):
    """References of OpenAPI, as JSON schema follows them."""
    return {**schema, "components": {"schemas": components}}


@pytest.mark.parametrize("case", list(answerable()), ids=lambda c: c.command)
def test_an_answer_fits_its_schema(app, document, case):
    answer = Visitor(app).get(f"/api/{case.path}", params=NEEDS.get(case.command, {}))
    if not answer.headers["content-type"].startswith("application/json"):
        assert answer.headers["content-type"].startswith(("text/markdown", "application/problem+json"))
        return
    schema = document["paths"][f"/api/{case.path}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(answer.json(), as_draft(schema, document["components"]["schemas"]))


def test_most_answers_have_fields(document):
    """A schema that allows everything would fit every answer."""
    typed = [
        path
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema")
    ]
    assert len(typed) >= 0.9 * len(document["paths"])


def test_the_page_lists_every_route(app, document):
    page = Visitor(app).get("/docs")
    assert page.status_code == 200
    assert all(f" {path}<" in page.text for path in document["paths"])
