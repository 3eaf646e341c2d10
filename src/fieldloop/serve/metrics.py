"""Metrics of a policy server in Prometheus text format."""

from collections import Counter, deque
from collections.abc import Iterator

import numpy as np

QUANTILES = (0.5, 0.95, 0.99)  # those that are reported


class Metrics:
    """Requests by door and result, and how long the last real calls took."""

    def __init__(self, window: int) -> None:
        """Keep the latencies of the last `window` calls."""
        self._requests: Counter[tuple[str, str]] = Counter()
        self._recent_ms: deque[float] = deque(maxlen=window)
        self._calls, self._sum_ms = 0, 0.0

    def count_request(self, door: str, result: str) -> None:
        """Count one request: answered, refused (its own fault), failed (the policy's) or busy."""
        self._requests[door, result] += 1

    def record_latency(self, latency_ms: float) -> None:
        """Note one inference."""
        self._recent_ms.append(latency_ms)
        self._calls += 1
        self._sum_ms += latency_ms

    def summarise_recent_calls(self) -> dict[str, float | int]:
        """Return n and percentiles of the last real calls; no call, no percentiles."""
        if not self._recent_ms:
            return {"calls": 0}
        values = np.quantile(np.array(self._recent_ms), QUANTILES, method="inverted_cdf")
        named = {f"p{q * 100:.0f}_ms": float(v) for q, v in zip(QUANTILES, values, strict=True)}
        return {"calls": len(self._recent_ms), **named}

    def write_metrics_text(self, policy: str, *, healthy: bool | None) -> str:
        """Write all metrics as text."""
        return "\n".join(self._write_lines(policy, healthy=healthy)) + "\n"

    def _write_lines(self, policy: str, *, healthy: bool | None) -> Iterator[str]:
        yield "# TYPE fieldloop_policy_requests_total counter"
        for (door, result), n in sorted(self._requests.items()):
            yield f'fieldloop_policy_requests_total{{policy="{policy}",door="{door}",result="{result}"}} {n}'
        yield "# TYPE fieldloop_policy_inference_ms summary"
        for name, value in self.summarise_recent_calls().items():
            if name != "calls":
                quantile = int(name[1:-3]) / 100
                yield f'fieldloop_policy_inference_ms{{policy="{policy}",quantile="{quantile:g}"}} {value:g}'
        yield f'fieldloop_policy_inference_ms_sum{{policy="{policy}"}} {self._sum_ms:g}'
        yield f'fieldloop_policy_inference_ms_count{{policy="{policy}"}} {self._calls}'
        if healthy is not None:
            yield "# TYPE fieldloop_policy_healthy gauge"
            yield f'fieldloop_policy_healthy{{policy="{policy}"}} {int(healthy)}'
