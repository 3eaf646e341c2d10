"""Write a policy in the form of another server."""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.run.policies import find_bundle_folder, find_policy
from fieldloop.loop.workspace import Workspace
from fieldloop.serve.bundle import CARD, Bundle, read_bundle
from fieldloop.serve.open_engine import open_engine

Form = Literal["onnx", "torchserve", "triton", "trtexec"]
GRAPH = "policy.onnx"


@dataclass(frozen=True, slots=True)
class PolicyExported:
    """What was written, and the command that uses it."""

    policy: str
    to: str
    files: tuple[str, ...]
    command: str


def export_policy(workspace: Workspace, policy: str, out: Path, *, to: Form = "onnx") -> PolicyExported:
    """Write a policy for another server: one ONNX graph, an archive of TorchServe, a repository of Triton.

    The normaliser goes into the graph, so that no server and no client can forget it. Guard limits stay with the robot.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        out: the folder to write into; it must not exist
        to: onnx (one graph), torchserve (.mar), triton (model repository), or trtexec (a graph and the line to type)
    """
    version = find_policy(workspace, policy)
    folder = find_bundle_folder(workspace, version)
    bundle = read_bundle(folder)
    if bundle.engine == "onnx":
        bundle = open_engine(folder).bundle  # with the shapes of its graph
    if out.exists():
        raise BadInput(f"{out} exists already. Name a folder that does not.")
    name = version.name
    weights = _make_weights(folder, bundle, to)
    bundle = _describe_export(bundle, weights)
    out.mkdir(parents=True)
    files, command = _write(out, name, bundle, weights, to)
    return PolicyExported(version.id, to, tuple(file.relative_to(out).as_posix() for file in files), command)


def _make_weights(folder: Path, bundle: Bundle, to: Form) -> tuple[str, bytes]:
    """Return the weights: a graph, or a TorchScript file where the form takes it."""
    if bundle.engine == "torchscript" and to == "torchserve":
        if bundle.normaliser != "inside":
            raise Refused("This TorchScript policy is normalised by its card, which an archive would lose.")
        name = next(iter(bundle.files))
        return name, (folder / name).read_bytes()
    from fieldloop.serve.export.onnx_graph import make_onnx

    return GRAPH, make_onnx(folder, bundle)


def _describe_export(bundle: Bundle, weights: tuple[str, bytes]) -> Bundle:
    """Return the card of what is written: a graph holds its normaliser, and its weights have another digest."""
    name, data = weights
    files = {name: hashlib.sha256(data).hexdigest()}
    if name != GRAPH:
        return replace(bundle, files=files)
    options = dict(bundle.options) if bundle.engine == "onnx" else {"output": "actions"}
    return replace(bundle, engine="onnx", normaliser="inside", files=files, options=options)


def _write(out: Path, name: str, bundle: Bundle, weights: tuple[str, bytes], to: Form) -> tuple[tuple[Path, ...], str]:
    if to == "torchserve":
        from fieldloop.serve.export.torchserve import write_archive

        card = _write_card(bundle)
        path = write_archive(out / f"{name}.mar", bundle, weights, card)
        return (path,), f"torchserve --start --model-store {out} --models {path.name} --disable-token-auth"
    if to == "triton":
        from fieldloop.serve.export.triton import write_repository

        return write_repository(out, name, weights[1]), f"tritonserver --model-repository={out}"
    path = out / GRAPH
    path.write_bytes(weights[1])
    if to == "onnx":
        (out / CARD).write_bytes(_write_card(bundle))
        return (path, out / CARD), ""
    from fieldloop.serve.engines.onnx import open_session
    from fieldloop.serve.export.trtexec import write_line

    return (path,), write_line(path, open_session(path).get_inputs())


def _write_card(bundle: Bundle) -> bytes:
    return (json.dumps(bundle.make_card(), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
