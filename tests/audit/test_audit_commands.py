"""The map through the doors: audit with pictures, comparison with logs, a catalogue from order lines, the override."""

import dataclasses
import io
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tests.audit.maps import outcome

from fieldloop.cli.render_audit import print_compared_claims as print_compared
from fieldloop.cli.screen import Screen
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.audit import audit as use
from fieldloop.loop.audit.velocity import write_velocity_catalogue
from fieldloop.model.audit import Comparison
from fieldloop.model.deployment import Audit, AuditAnswer, Deployment, EdgeCase, Site
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.report.audit import render_audit_page as page
from fieldloop.ui.pages.deployment import draw
from fieldloop.ui.visit import Visit

UNTRUE = [
    outcome(n, n // 50, tier="high", bin="back" if n % 2 else "front", lighting="dim", item="a", facts={"lux": 90.0})
    for n in range(1000)
]


@pytest.fixture
def workspace(mapped):
    return mapped


def test_a_map_without_logs_is_asked_and_not_compared(workspace):
    audited = use.audit(workspace)
    assert audited.exit_ok
    assert audited.audit.compared == ()
    with pytest.raises(Refused, match="no logs to compare"):
        use.compare_map_with_logs(workspace)


def test_logs_that_contradict_the_map_are_kept_with_the_audit(workspace, tmp_path):
    workspace.write(*(OutcomeRecorded(o) for o in UNTRUE))
    audited = use.audit(workspace, html=tmp_path / "audit.html")
    wrong = {c.what for c in audited.audit.compared if c.status is Status.FAILED}
    assert wrong == {"bin", "lighting"}
    assert audited.exit_ok, "completeness locks, not what logs say"
    assert use.find_latest_audit(workspace) == audited.audit
    compared = use.compare_map_with_logs(workspace)
    assert compared.comparisons == audited.audit.compared
    assert not compared.exit_ok
    text = (tmp_path / "audit.html").read_text()
    assert "Logs contradict 2 of" in text
    assert text.count("<svg") > 4
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text), "one file, nothing fetched"
    drawn = str(draw(Visit(workspace=workspace)))
    assert "The map compared with the logs" in drawn
    assert "2 of" in drawn


def test_measured_shares_are_in_force_for_every_reader_of_the_map(workspace):
    workspace.write(*(OutcomeRecorded(o) for o in UNTRUE))
    use.audit(workspace, measured=True)
    shares = {str(e.stratum): e.share for e in use.require_latest_deployment(workspace).exposures}
    assert shares["bin=back,lighting=dim,site=north,tier=high"] == pytest.approx(2 / 3 * 0.5 + 1 / 3 * 0.12)


def test_an_override_keeps_what_was_compared(workspace):
    workspace.write(*(OutcomeRecorded(o) for o in UNTRUE))
    before = use.audit(workspace).audit
    after = use.override_audit(workspace, reason="the pilot starts on Monday")
    assert after == dataclasses.replace(
        before, overridden_by=after.overridden_by, override_reason=after.override_reason
    )


@pytest.mark.parametrize("name", ["deployment.toml", "skus.csv"])
def test_a_file_that_is_not_text_is_refused(workspace, name):
    (workspace.root / name).write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadInput, match="not UTF-8"):
        use.audit(workspace)


def test_a_report_cannot_be_written_into_nowhere(workspace, tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        use.audit(workspace, html=tmp_path / "absent" / "audit.html")
    assert not workspace.store.find(Deployment), "what could not be shown was not written down"


def test_a_bare_map_draws_too():
    bare = Deployment("<d>", "pick", (Site("s", 1.0),), (), (EdgeCase("stuck", 3, 0.5),))
    audit = Audit(
        "<d>",
        (
            AuditAnswer(
                note("audit.asks_environment"),
                0.0,
                (note("audit.missing", what="light", places=(), write="lighting"),),
                3,
            ),
        ),
        0.0,
        complete=False,
    )
    text = page(bare, audit)
    assert "&lt;d&gt;" in text
    assert "light (write lighting)" in text
    assert "The map is incomplete at 0 %: 1 thing to write" in text


def test_velocity_without_a_workspace_and_with_an_item_master(tmp_path):
    lines, master = tmp_path / "lines.csv", tmp_path / "items.csv"
    lines.write_text("sku,date,qty\na,2026-01-01,3\nb,2026-01-03,1\nb,2026-01-03,x\n")
    master.write_text("sku,mass_kg\na,0.2\nidle,1\n")
    made = write_velocity_catalogue(None, lines, out=tmp_path / "skus.csv", master=master)
    assert (made.lines, made.used, made.skus) == (3, 2, 3)
    assert made.skipped[0].first == (4,)
    assert made.remarks == (
        "The lines span 3 days; less than a week was counted.",
        "1 picked articles (25.0 % of picks) are not in the item master.",
        "1 articles of the item master were never picked.",
    )
    with pytest.raises(BadInput, match="does not exist"):
        write_velocity_catalogue(None, tmp_path / "none.csv", out=tmp_path / "skus.csv")
    lines.write_bytes(b"sku,date\n\xff\xff,2026-01-01\n")
    with pytest.raises(BadInput, match="not UTF-8"):
        write_velocity_catalogue(None, lines, out=tmp_path / "skus.csv")


def test_what_is_logged_at_one_site_is_not_reported_as_unlogged():
    none = note("audit.not_stated")
    compared = [
        Comparison(
            site, what, none, none, episodes, Status.CANNOT_TELL, note("audit.not_compared", what=what, site=site)
        )
        for site, what, episodes in (("north", "lux", 30), ("south", "lux", 0), ("north", "air", 0))
    ]
    shown = io.StringIO()
    print_compared(SimpleNamespace(comparisons=compared, changed=()), Screen(shown))
    assert "No attempt logs air." in shown.getvalue()
    assert "No attempt logs lux at south." in shown.getvalue()


def test_importing_the_audit_loads_neither_the_simulator_nor_the_plan():
    code = "import sys, fieldloop.loop.audit.audit; print(*(name for name in sys.modules if name.count('.') == 1))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "fieldloop.audit" in loaded
    assert not {"fieldloop.simulate", "fieldloop.plan"} & set(loaded)
