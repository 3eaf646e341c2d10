"""Other people's libraries, each in a venv of its own under .oracles: made once, by a pinned recipe, and left alone.

`lerobot()`, `robomimic()`, `tfds()`, `mcap()`, `agreement()`, `openpi()` and `triton()` return the Python of a venv in
which that library can be imported. In those of LeRobot and robomimic (one venv: both need torch) `import lr_shim` comes
first.
"""

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2] / ".oracles"
MARK = "built-by"
"""Written last: a venv without it, or by another recipe, is half-built and is made anew."""

SHIM = '''"""Import me before torchvision: its wheel brings operators for CUDA that torch on the CPU cannot load."""
import torch

if torch.version.cuda is None:
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
'''

BACK_PORT = {
    "motors/motors_bus.py": (r"^type (\w+) = ", r"\1 = "),
    "datasets/aggregate.py": (r"^type (\w+) = ", r"\1 = "),
    "processor/pipeline.py": (
        r"^class DataProcessorPipeline\[TInput, TOutput\]\(HubMixin\):",
        'class DataProcessorPipeline(HubMixin, __import__("typing").Generic[TInput, TOutput]):',
    ),
    "utils/io_utils.py": (
        r"^def deserialize_json_into_object\[T: JsonLike\]\(fpath: Path, obj: T\) -> T:",
        "def deserialize_json_into_object(fpath: Path, obj):",
    ),
    "datasets/streaming_dataset.py": (
        r"^class Backtrackable\[T\]:",
        'T = __import__("typing").TypeVar("T")\nclass Backtrackable(__import__("typing").Generic[T]):',
    ),
}
"""LeRobot 0.6.1 asks for Python 3.12 for the sake of seven lines; in these words 3.11 understands them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a venv holds: calls of pip one after the other, then what is left to put right."""

    name: str
    installs: tuple[tuple[str, ...], ...]
    finish: Callable[[Path], None] | None = None

    @property
    def mark(self) -> str:
        """Changes when the recipe or the Python does."""
        said = repr((self.installs, SHIM, BACK_PORT if self.finish else None, sys.version_info[:2]))
        return hashlib.sha256(said.encode()).hexdigest()


def lerobot() -> Path:
    """LeRobot 0.6.1 with torch on the CPU; `video_backend="pyav"` needs neither FFmpeg nor torchcodec."""
    return _python(TORCH)


def robomimic() -> Path:
    """Return a Python with robomimic 0.3.0: `from robomimic.utils.dataset import SequenceDataset` works."""
    return _python(TORCH)


def tfds() -> Path:
    """TensorFlow Datasets, whose `builder_from_directory` opens what RLDS calls a dataset."""
    return _python(TENSORFLOW)


def mcap() -> Path:
    """The MCAP package and its decoders for ROS 1, ROS 2 and protobuf."""
    return _python(MCAP)


def agreement() -> Path:
    """Return a Python with pygamma-agreement (MIT) and mir_eval (MIT)."""
    return _python(AGREEMENT)


def openpi() -> Path:
    """Return a Python with openpi-client 0.1.2 as published; it imports typing_extensions without asking for it."""
    return _python(OPENPI)


def triton() -> Path:
    """Return a Python with NVIDIA's client of Triton, for gRPC and HTTP."""
    return _python(TRITON)


def robot_packages() -> Path:
    """Return a folder of packages that our robot's client needs, for the path of another venv."""
    python = _python(ROBOT)
    return Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip())


def _python(recipe: Recipe) -> Path:
    """Return the venv's Python; the first to ask builds, and others who ask meanwhile wait for it."""
    venv = ROOT / recipe.name
    python = venv / "bin" / "python"
    ROOT.mkdir(exist_ok=True)
    with (ROOT / f"{recipe.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _built(venv, recipe):
            shutil.rmtree(venv, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(venv))
            for packages in recipe.installs:
                _run(str(python), "-m", "pip", "install", "-q", *packages)
            if recipe.finish:
                recipe.finish(python)
            (venv / MARK).write_text(recipe.mark, encoding="utf-8")
    return python


def _built(venv: Path, recipe: Recipe) -> bool:
    mark = venv / MARK
    return mark.is_file() and mark.read_text(encoding="utf-8") == recipe.mark


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _put_right(python: Path) -> None:
    """Lay the shim beside the packages; on Python 3.11 also rewrite the lines of LeRobot that it cannot parse."""
    packages = Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip())
    (packages / "lr_shim.py").write_text(SHIM, encoding="utf-8")
    if sys.version_info >= (3, 12):
        return
    for name, (newer, older) in BACK_PORT.items():
        path = packages / "lerobot" / name
        text, changed = re.subn(newer, older, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if not changed:
            raise RuntimeError(f"{path} is not as LeRobot 0.6.1 has it: nothing matches {newer!r}.")
        path.write_text(text, encoding="utf-8")


TORCH = Recipe(
    "lerobot",
    (
        ("torch==2.13.0",),
        ("--no-deps", "torchvision==0.28.0"),
        ("--no-deps", "--ignore-requires-python", "lerobot==0.6.1", "robomimic==0.3.0"),
        (
            "numpy>=2,<2.3", "pandas<3", "pyarrow", "datasets>=4.8,<5", "huggingface-hub>=1.6,<2", "av>=15,<16",
            "opencv-python-headless<4.14", "Pillow<13", "draccus>=0.11.6,<0.12", "einops<0.9", "gymnasium<2",
            "packaging<26", "jsonlines", "termcolor", "tqdm", "safetensors", "requests",
            "h5py", "psutil", "imageio",  # robomimic's
        ),
    ),
    _put_right,
)  # fmt: skip
TENSORFLOW = Recipe("tfds", (("tensorflow-cpu==2.21.0", "tensorflow-datasets==4.9.10"),))
AGREEMENT = Recipe("agreement", (("pygamma-agreement==0.5.9", "mir_eval==0.8.2"),))
ROBOT = Recipe("robot", (("--no-deps", "msgpack>=1.1", "websockets>=13"),))
OPENPI = Recipe("openpi", (("openpi-client==0.1.2", "typing_extensions", "numpy<2"),))
TRITON = Recipe("triton", (("tritonclient[grpc,http]==2.73.0",),))
MCAP = Recipe("mcap", (("mcap", "mcap-ros1-support", "mcap-ros2-support", "mcap-protobuf-support"),))
