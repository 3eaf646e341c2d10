"""A release comes before a file of its name; only an admin learns which files the server has."""

import pytest
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.loop.ship.release_or_path import find_release_or_path
from fieldloop.loop.ship.release_verify import verify_release
from fieldloop.model.person import Actor, Role


def test_a_file_does_not_shadow_a_release(site, tmp_path, monkeypatch):  # noqa: F811
    keep(site, make_episodes(10))
    frozen = freeze_release(site, "r1")
    monkeypatch.chdir(tmp_path)
    for name in ("r1", frozen.id, frozen.id[:12]):
        (tmp_path / name).write_text("x")
        assert find_release_or_path(site, name) == frozen
    (tmp_path / "other").write_text("x")
    assert str(find_release_or_path(site, "other")) == "other"


@pytest.mark.parametrize("ask", [verify_release, lambda w, name: compare_two_releases(w, name, name)])
def test_an_answer_over_the_network_is_the_same_whether_a_file_exists(site, tmp_path, monkeypatch, ask):  # noqa: F811
    engineer = site.acting_as(Actor("eve", Role.ENGINEER))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()

    def get_answer(name):
        with pytest.raises(BadInput if "/" not in name else Refused) as wrong:
            ask(engineer, name)
        return type(wrong.value), str(wrong.value).replace(name, "NAME")

    assert get_answer("there") == get_answer("absent")
    assert get_answer(f"{tmp_path}/there") == get_answer(f"{tmp_path}/absent")
    assert get_answer("there")[0] is UnknownName
