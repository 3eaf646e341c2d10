"""How the venvs of other people's libraries are built: once, by one process, and anew where half is there."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.oracles import venvs

pytestmark = pytest.mark.oracle


def test_two_at_once_build_once_and_half_a_venv_is_built_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(venvs, "ROOT", tmp_path / "oracles")
    built = []
    recipe = venvs.Recipe("empty", (), built.append)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(venvs._python, [recipe, recipe])
    assert first == second == tmp_path / "oracles/empty/bin/python"
    assert built == [first]
    (tmp_path / "oracles/empty" / venvs.MARK).unlink()  # the power went before the end
    assert venvs._python(recipe) == first
    assert len(built) == 2


def test_what_cannot_be_installed_is_reported_with_what_pip_says(tmp_path, monkeypatch):
    monkeypatch.setattr(venvs, "ROOT", tmp_path)
    with pytest.raises(RuntimeError, match="no-such-package-anywhere"):
        venvs._python(venvs.Recipe("broken", (("--no-index", "no-such-package-anywhere"),)))
    assert not (tmp_path / "broken" / venvs.MARK).exists()
