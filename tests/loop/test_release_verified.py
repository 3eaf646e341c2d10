"""Opening the page of a release's integrity hashes nothing: it shows the last answer."""

from dataclasses import replace

from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.cli import main
from fieldloop.loop.ship import release_verify
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.verified import show_last_verification
from fieldloop.ui.pages.release_parts import draw_integrity
from fieldloop.ui.visit import Visit


def test_the_last_answer_is_kept_and_shown_without_hashing(site, monkeypatch, capsys):  # noqa: F811
    keep(site, make_episodes(10))
    frozen = freeze_release(site, "r1")
    monkeypatch.setattr(release_verify, "_hash_log", lambda *_: iter(()))
    visit = Visit(site, {}, {"release": "r1"})
    assert "was never verified" in str(draw_integrity(visit).parts)
    never = show_last_verification(site, "r1")
    assert (never.at_ns, never.exit_ok) == (None, False), "what was never compared does not pass"
    assert main(["release", "verified", "r1", "--workspace", str(site.root)]) == 1
    assert "never verified here" in capsys.readouterr().out
    found = release_verify.verify_release(site, frozen.id)
    assert found.exit_ok
    monkeypatch.setattr(release_verify, "_verify_frozen", None)
    assert show_last_verification(site, "r1") == found
    page = str(draw_integrity(visit).parts)
    assert "was as it was frozen" in page
    assert 'data-post="/api/release/verify"' in page
    assert replace(found, answers=()).exit_ok is False
