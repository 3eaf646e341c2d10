"""Metrics of a policy server in Prometheus text format."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence

import numpy as np

REQUESTS, INFERENCE = "fieldloop_policy_requests_total", "fieldloop_policy_inference_ms"
HEALTHY, IN_FORCE = "fieldloop_policy_healthy", "fieldloop_policy_in_force"
KINDS = {REQUESTS: "counter", INFERENCE: "summary", HEALTHY: "gauge", IN_FORCE: "gauge"}
QUANTILES = (0.5, 0.95, 0.99)  # those that are reported


class Metrics:
    """Requests by door and result, and how long the last real calls took."""

    def __init__(self, window: int) -> None:
        """Keep the latencies of the last `window` calls."""
        self._requests: Counter[tuple[str, str]] = Counter()
        self._recent_ms: deque[float] = deque(maxlen=window)
        self._calls, self._sum_ms = 0, 0.0

    def count_request(self, door: str, result: str) -> None:
        """Count one request: answered, refused (its own fault), failed (the policy's), busy, superseded, late …"""
        self._requests[door, result] += 1

    def record_latency(self, latency_ms: float) -> None:
        """Note one inference."""
        self._recent_ms.append(latency_ms)
        self._calls += 1
        self._sum_ms += latency_ms

    @property
    def calls(self) -> int:
        """The number of inferences so far."""
        return self._calls

    def summarise_recent_calls(self) -> dict[str, float | int]:
        """Return n and percentiles of the last real calls; no call, no percentiles."""
        if not self._recent_ms:
            return {"calls": 0}
        values = np.quantile(np.array(self._recent_ms), QUANTILES, method="inverted_cdf")
        named = {f"p{q * 100:.0f}_ms": float(v) for q, v in zip(QUANTILES, values, strict=True)}
        return {"calls": len(self._recent_ms), **named}

    def list_samples(self, policy: str) -> Iterator[tuple[str, str]]:
        """Yield each metric's name and one line of it."""
        for (door, result), n in sorted(self._requests.items()):
            labels = f'policy="{policy}",door="{door}",result="{result}"'
            yield REQUESTS, f"{REQUESTS}{{{labels}}} {n}"
        for name, value in self.summarise_recent_calls().items():
            if name != "calls":
                quantile = int(name[1:-3]) / 100
                yield INFERENCE, f'{INFERENCE}{{policy="{policy}",quantile="{quantile:g}"}} {value:g}'
        yield INFERENCE, f'{INFERENCE}_sum{{policy="{policy}"}} {self._sum_ms:g}'
        yield INFERENCE, f'{INFERENCE}_count{{policy="{policy}"}} {self._calls}'


def write_metrics(rows: Sequence[tuple[str, Metrics, bool | None]], in_force: str) -> str:
    """Write the metrics of every version (its id, counters and health) as text."""
    samples = [sample for policy, metrics, _ in rows for sample in metrics.list_samples(policy)]
    samples += [(HEALTHY, f'{HEALTHY}{{policy="{p}"}} {int(well)}') for p, _, well in rows if well is not None]
    samples += [(IN_FORCE, f'{IN_FORCE}{{policy="{p}"}} {int(p == in_force)}') for p, _, _ in rows]
    lines: list[str] = []
    for name, kind in KINDS.items():
        lines += [f"# TYPE {name} {kind}", *(line for metric, line in samples if metric == name)]
    return "\n".join(lines) + "\n"
