"""Make a bundle of a TorchScript file: its inputs are stated in the order of its arguments."""

import zipfile
from pathlib import Path

import numpy as np

from fieldloop.errors import BadInput, Refused
from fieldloop.serve.adding.settings import PolicySettings
from fieldloop.serve.adding.shapes import read_horizon
from fieldloop.serve.bundle import Bundle
from fieldloop.serve.engines.arrays import get_first_line
from fieldloop.serve.engines.torch_runner import TorchRunner
from fieldloop.serve.engines.torchscript import make_call, open_script

WEIGHTS = "policy.pt"
ASKED = ("control_hz", "action_names", "units", "normaliser", "inputs")


def is_torchscript(path: Path) -> bool:
    """Does a file hold TorchScript? It is a zip with the code of its graph; what torch.save writes has none."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as zipped:
        names = zipped.namelist()
    return any("/code/" in name for name in names) and any(name.endswith("/data.pkl") for name in names)


def refuse_saved_pickle(path: Path) -> None:
    """Refuse a .pt file that does not hold TorchScript."""
    if not is_torchscript(path):
        raise Refused(
            f"{path} is not TorchScript but a pickle of torch.save, which can run any code when it is opened. Export "
            "it with torch.jit.script or torch.jit.trace, or as ONNX. To record only its digest: --digest SHA256"
        )


def describe_torchscript(path: Path, name: str, settings: PolicySettings) -> tuple[Bundle, dict[str, Path]]:
    """Return the card and the files of a bundle for a TorchScript file."""
    refuse_saved_pickle(path)
    settings.require(str(path), *ASKED)
    module = open_script(path)
    inputs = settings.read_inputs(str(path))
    call = make_call(
        module, tuple(i.name for i in inputs), by_name=bool(settings.options.get("by_name")),
        output=settings.output or None,
    )  # fmt: skip
    try:
        answer = TorchRunner(call).run({i.name: np.zeros((1, *i.shape), i.dtype) for i in inputs})
    except Exception as wrong:
        raise BadInput(f"{path}: the policy fails on a blank observation: {get_first_line(wrong)}") from wrong
    horizon = read_horizon(answer, settings.action_names, str(path))
    options = {**settings.options, **({"output": settings.output} if settings.output else {})}
    bundle = settings.make_bundle(name, "torchscript", inputs, horizon, normaliser=settings.normaliser, options=options)
    return bundle, {WEIGHTS: path}
