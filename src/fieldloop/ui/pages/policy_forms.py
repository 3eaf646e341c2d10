"""The forms of the Policies page that check and add a policy of another maker."""

from collections.abc import Mapping

from fieldloop.say.html import Markup
from fieldloop.ui.components import Field, Submit, draw_form, draw_panel


def draw_add_forms(releases: Mapping[str, str]) -> tuple[Markup, ...]:
    """Draw the forms that check and add a policy of another maker, and the one for weights that stay elsewhere."""
    return _draw_check_form(), _draw_run_form(releases), _draw_register_form(releases)


def _draw_check_form() -> Markup:
    """Draw the form that checks a policy folder and states what is wrong with it."""
    fields = (
        Field("path", "Policy folder", hint="/data/policies/act-1", required=True),
        Field("data", "Dataset that it learnt from", hint="/data/sets/pick, if it is here"),
        Field("control_hz", "Actions a second", "number", hint="compared with the dataset's rate"),
    )
    form = draw_form("/api/policy/check", fields, Submit("Check", show="answers"))
    return draw_panel("Check a policy before it is added", form, note="reads headers only, loads no weights")


def _draw_run_form(releases: Mapping[str, str]) -> Markup:
    """Draw the form that adds a policy which this machine can run."""
    fields = (
        Field("name", "Name", hint="act-1", required=True),
        Field("source", "File, folder or address", hint="/data/policies/act-1 or ws://gpu:8000", required=True),
        Field("settings", "Settings (TOML)", hint="/data/policies/act-1.toml, for what the policy does not state"),
        Field("data", "Dataset that it learnt from", hint="/data/sets/pick: names of actions and rate"),
        Field("release", "Trained on release", "choice", "not known", choices=("", *releases.values())),
        Field("control_hz", "Actions a second", "number", hint="the gate judges latency by this rate"),
    )
    form = draw_form("/api/policy/add", fields, Submit("Add and try it"))
    note = "ONNX, TorchScript, a LeRobot folder, an openpi or GR00T server; paths on the machine that runs fieldloop"
    return draw_panel("Add a policy that can be run here", form, note=note)


def _draw_register_form(releases: Mapping[str, str]) -> Markup:
    """Draw the form that adds a policy trained elsewhere; its weights stay where they are."""
    fields = (
        Field("name", "Name", hint="pi0-v3", required=True),
        Field("digest", "SHA-256 of the weights", hint="64 hexadecimal digits, if you know them"),
        Field("release", "Trained on release", "choice", "not known", choices=("", *releases.values())),
        Field("control_hz", "Actions a second", "number", hint="the gate judges latency by this rate"),
    )
    return draw_panel(
        "Add a policy that was trained elsewhere", draw_form("/api/policy/register", fields, Submit("Add policy"))
    )
