"""Every route, called with awkward values that schemathesis makes: a clear answer, never a server error."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from tests.doors.story import story_workspace

from fieldloop.api.app import build_app
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.loop.floor import limits
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.person import Role

pytestmark = pytest.mark.soak
EXAMPLES = 30
BUG = "This is a bug"
"""What a server error of ours says; the workspace refers to logs that are not on its shelf, which is another error."""
MOST_SIMULATED = 3
"""Demonstrations or attempts that a simulation makes at most here, so that it takes a second and not minutes."""
ROUTES = [case for case in USE_CASES if not case.no_route]


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """Schemas of all routes by path, and a token: an engineer's, because to engineers paths to read are refused."""
    workspace = story_workspace(tmp_path_factory.mktemp("fuzz") / "w")
    secret = issue_token(workspace, "engineer-1", role=Role.ENGINEER).secret
    headers = {"Authorization": f"Bearer {secret}"}
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", build_app(lambda: workspace), headers=headers)
    yield {found.ok().path: found.ok() for found in schema.get_all_operations()}, headers
    workspace.close()


@pytest.mark.parametrize("case", ROUTES, ids=lambda case: case.command)
@pytest.mark.filterwarnings("ignore")  # schemathesis and its client warn about their own dependencies
def test_no_route_breaks(routes, case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(limits, "read_most_simulated", lambda: MOST_SIMULATED)
    operations, headers = routes

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.generate], database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(call=operations[f"/api/{case.path}"].as_strategy())
    def answers(call):
        answer = call.call(headers=headers)
        assert BUG not in answer.text, (call.body, call.query, answer.text)

    answers()
