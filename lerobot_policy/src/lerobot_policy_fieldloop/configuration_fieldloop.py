"""Where the server is, and how its answers are used."""

from dataclasses import dataclass, field

from lerobot.configs.policies import PreTrainedConfig
from lerobot.configs.types import NormalizationMode


@PreTrainedConfig.register_subclass("fieldloop")
@dataclass
class FieldloopConfig(PreTrainedConfig):
    """Settings of the policy type `fieldloop`.

    `url` is the server's socket, `token` the robot's token (none over loopback), `robot` its name for the server.
    `n_action_steps` of each chunk are executed before the next observation is sent; 0: the whole chunk.
    """

    url: str = "ws://127.0.0.1:8600/"
    token: str = ""
    robot: str = ""
    timeout_s: float = 1.0
    n_action_steps: int = 0
    action_feature_names: list[str] | None = None
    normalization_mapping: dict[str, NormalizationMode] = field(
        default_factory=lambda: dict.fromkeys(("VISUAL", "STATE", "ACTION"), NormalizationMode.IDENTITY)
    )

    @property
    def observation_delta_indices(self) -> None:
        """One observation at a time."""

    @property
    def action_delta_indices(self) -> None:
        """Nothing is trained here."""

    @property
    def reward_delta_indices(self) -> None:
        """Nothing is trained here."""

    def get_optimizer_preset(self) -> None:
        """Refuse to train."""
        raise NotImplementedError("A policy on a server is trained elsewhere.")

    def get_scheduler_preset(self) -> None:
        """Nothing is trained here."""

    def validate_features(self) -> None:
        """Accept the features: the server names what is missing."""
