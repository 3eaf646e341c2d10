"""Ask a policy that runs on another machine, as if it ran here."""

from fieldloop.model.policy import Action, Observation
from fieldloop_robot.client import PolicyClient


class RemoteEngine:
    """A model.policy.Policy at the other end of a robot's policy client."""

    def __init__(self, client: PolicyClient) -> None:
        """Take a client; it is the caller's to close."""
        self._client = client

    def act(self, observation: Observation) -> Action:
        """Answer one observation; the latency is that of the round trip."""
        answer = self._client.act(observation)
        return Action(answer.names, answer.values, answer.confidence, answer.latency_ms)
