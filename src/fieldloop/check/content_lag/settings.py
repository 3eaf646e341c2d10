"""The settings of the lag search, from the protocol."""

from collections.abc import Mapping
from dataclasses import dataclass

from fieldloop.model.stream import MS_PER_S
from fieldloop.protocol import CollectionProtocol

CHECK = "alignment.content_lag"


@dataclass(frozen=True, slots=True)
class Ranks:
    """Number of axes kept of flow, of joint speed and of pose."""

    flow: int
    speed: int
    pose: int


@dataclass(frozen=True, slots=True)
class Settings:
    """Range and step of the search, smoothing, priors, and when to refuse."""

    search_s: float
    search_step_s: float
    joints_hz: float
    rows_hz: float
    finest_period_s: float
    longest_spans: float
    fewest_rows: int
    block_s: float
    lobe_apart_s: float
    readout_sd_s: float
    readout_blur: float
    drag_sd_s: float
    drag_px_s: float
    undragged_px_s: float
    least_lead: float
    least_explained: float
    least_pace: float
    widest_s: float
    inflation: float
    alone_inflation: float
    bias_share: float
    disagreement: float
    most_repeating: float
    confidence: float
    one: Ranks
    many: Ranks


def read_content_lag_settings(protocol: CollectionProtocol) -> Settings:
    """Read the settings from the parameters of `alignment.content_lag`."""
    p: Mapping[str, float] = {name: one.value for name, one in protocol.limits[CHECK].parameters.items()}
    return Settings(
        search_s=p["search_ms"] / MS_PER_S,
        search_step_s=p["search_step_ms"] / MS_PER_S,
        joints_hz=p["joints_hz"],
        rows_hz=p["rows_hz"],
        finest_period_s=p["finest_period_ms"] / MS_PER_S,
        longest_spans=p["longest_spans"],
        fewest_rows=int(p["fewest_rows"]),
        block_s=p["block_s"],
        lobe_apart_s=p["lobe_apart_ms"] / MS_PER_S,
        readout_sd_s=p["readout_sd_ms"] / MS_PER_S,
        readout_blur=p["readout_blur"],
        drag_sd_s=p["drag_sd_ms"] / MS_PER_S,
        drag_px_s=p["drag_px_s"],
        undragged_px_s=p["undragged_px_s"],
        least_lead=p["least_lead"],
        least_explained=p["least_explained"],
        least_pace=p["least_pace_per_s"],
        widest_s=p["widest_ms"] / MS_PER_S,
        inflation=p["inflation"],
        alone_inflation=p["alone_inflation"],
        bias_share=p["bias_share"],
        disagreement=p["disagreement_sd"],
        most_repeating=p["most_repeating"],
        confidence=p["confidence"],
        one=Ranks(int(p["flow_axes_one"]), int(p["speed_axes_one"]), int(p["pose_axes_one"])),
        many=Ranks(int(p["flow_axes"]), int(p["speed_axes"]), int(p["pose_axes"])),
    )
