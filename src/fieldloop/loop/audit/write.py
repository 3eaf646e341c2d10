"""Write the text of a map into the workspace, as a page sends it: checked first, in force only when asked."""

from pathlib import Path
from tempfile import TemporaryDirectory

from fieldloop.loop.audit.audit import Audited, audit, score_map
from fieldloop.loop.audit.audited_map import FILES
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.text_files import read_text


def write_map(workspace: Workspace, map_text: str, *, skus_text: str = "", put_in_force: bool = False) -> Audited:
    """Check the text of a deployment map; with `put_in_force`, also write it to deployment.toml and audit it.

    A map with an error is refused, and both files stay as they were.

    Arguments:
        map_text: the text of deployment.toml
        skus_text: the text of skus.csv (default: the catalogue of the workspace, where it has one)
        put_in_force: write both files and make this the map in force
    """
    chart, catalogue = (workspace.root / name for name in FILES)
    skus = skus_text or (read_text(catalogue) if catalogue.is_file() else "")
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in FILES]
        for file, text in zip(files, (map_text, skus), strict=True):
            file.write_text(text, encoding="utf-8")
        checked = score_map(workspace, *files)
    if not put_in_force:
        return checked
    write_atomically(chart, map_text, "map")
    if skus_text or not catalogue.is_file():
        write_atomically(catalogue, skus, "catalogue")
    return audit(workspace)
