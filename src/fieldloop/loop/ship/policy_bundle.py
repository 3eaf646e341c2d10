"""Make a bundle of a policy that another maker wrote, so that it can be run, gated and served."""

import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import BadInput, FieldloopError, MissingExtra, Refused
from fieldloop.loop.ship.policy_data import read_dataset_facts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.finding import Status
from fieldloop.serve.adding.server import describe_server, is_policy_server
from fieldloop.serve.adding.settings import PolicySettings, read_settings
from fieldloop.serve.adding.write import write_bundle_folder
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.digests import find_pickles
from fieldloop.serve.engine import probe_engine
from fieldloop.serve.lerobot_folder import is_lerobot_folder
from fieldloop.serve.open_engine import open_engine
from fieldloop.text_files import read_text

Made = tuple[Bundle, dict[str, Path]]
SCRIPTED = (".pt", ".ts", ".torchscript")


@dataclass(frozen=True, slots=True)
class Bundled:
    """A bundle on the shelf: its card, its hash there, and the SHA-256 that its weights are known by elsewhere."""

    card: Bundle
    blob: str
    weights: str


def read_policy_settings(file: Path | None, data: Path | None, control_hz: float | None) -> PolicySettings:
    """Read the settings of a policy; an option counts before the file, the file before what the dataset states."""
    stated = PolicySettings() if file is None else read_settings(_parse_toml(file), str(file))
    facts = read_dataset_facts(data) if data else None
    return replace(
        stated,
        control_hz=control_hz or stated.control_hz or (facts.fps if facts else None),
        action_names=stated.action_names or (facts.names.get("action", ()) if facts else ()),
    )


def is_runnable(source: Path) -> bool:
    """Is this something that an engine can run: an ONNX or TorchScript file, or a LeRobot policy?"""
    return source.suffix in (".onnx", *SCRIPTED) or is_lerobot_folder(source)


def make_policy_bundle(
    workspace: Workspace, name: str, source: Path, address: str, settings: PolicySettings
) -> Bundled:
    """Make a bundle, run it once, and put it on the shelf; whatever cannot be run as stated is refused."""
    bundle, files = _choose_maker(source, address)(name, settings)
    guard = workspace.operations["guard"]
    with tempfile.TemporaryDirectory(dir=workspace.cache) as scratch:
        folder = Path(scratch) / "bundle"
        limits = {limit: guard[limit] for limit in guard}
        card = write_bundle_folder(folder, bundle, files, limits, guard.fingerprint)
        try_to_run(folder)
        blob = workspace.shelf.put_folder(folder)
    only = next(iter(card.files.values())) if len(card.files) == 1 else ""
    return Bundled(card, blob.sha256, only)


def refuse_pickles(source: Path) -> None:
    """Refuse a folder that holds pickles: to open one is to run code from inside it."""
    if source.is_dir() and (found := find_pickles(source)):
        raise Refused(
            f"{source} holds {', '.join(found)}: a pickle runs code from inside it when it is opened. Save the weights "
            "as safetensors, ONNX or TorchScript, and leave these files out. To record only the digest: --digest SHA256"
        )


def _choose_maker(source: Path, address: str) -> Callable[[str, PolicySettings], Made]:
    if is_policy_server(address):
        return lambda name, settings: describe_server(address, name, settings)
    if source.suffix == ".onnx":
        from fieldloop.serve.adding.onnx_file import describe_onnx

        return lambda name, settings: describe_onnx(source, name, settings)
    if source.suffix in SCRIPTED:
        from fieldloop.serve.adding.torchscript_file import describe_torchscript

        return lambda name, settings: describe_torchscript(source, name, settings)
    from fieldloop.serve.adding.lerobot_policy import describe_lerobot_policy

    return lambda name, settings: describe_lerobot_policy(source, name, settings)


def try_to_run(folder: Path) -> None:
    """Run a bundle once; where the libraries of its engine are not installed here, the card was checked by itself."""
    try:
        health = probe_engine(open_engine(folder), time.perf_counter_ns)
    except MissingExtra:
        return
    except BadInput as wrong:
        raise BadInput(str(wrong).replace(str(folder), "The policy")) from wrong
    except FieldloopError as wrong:
        raise Refused(f"The policy was not added: {wrong}") from wrong
    if health.status is not Status.PASSED:
        raise BadInput(f"{folder} was not added: {health.message}")


def _parse_toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as wrong:
        raise BadInput(f"{file} is not valid TOML: {wrong}.") from wrong
