"""Write a bundle's folder: the files, and the card with their digests."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fieldloop.serve.bundle import CARD, Bundle, read_bundle
from fieldloop.serve.digests import hash_file, require_inside


def write_bundle_folder(
    folder: Path, bundle: Bundle, files: Mapping[str, Path], guard: Mapping[str, Any], fingerprint: str
) -> Bundle:
    """Copy the files, write the card, and return the card as it is read back."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in files.items():
        path = require_inside(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
    digests = {name: hash_file(folder / name) for name in files}
    whole = replace(bundle, files=digests, guard=dict(guard), guard_fingerprint=fingerprint)
    card = json.dumps(whole.make_card(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    (folder / CARD).write_text(card, encoding="utf-8")
    return read_bundle(folder, verify=False)
