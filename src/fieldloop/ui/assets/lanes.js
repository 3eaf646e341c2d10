// Lanes of the explorer: findings at their moment, the measured lag of each camera, calibrations in force.
import { cut } from "./timeline.js";

const MARK = { bad: "--bad", warn: "--warn", good: "--good", idle: "--idle", run: "--accent" };

export function findingsLane(look) {
  // what counts is drawn last, on top
  const moments = () => (look.view.findings ?? []).filter((f) => f.at_s != null).sort((a, b) => a.counts - b.counts);
  const near = (x) =>
    moments()
      .map((f) => ({ f, d: Math.abs(look.timeline.x(f.at_s) - x) }))
      .filter((one) => one.d < 8)
      .sort((a, b) => a.d - b.d)[0]?.f;
  return {
    name: "findings",
    label: "Findings",
    height: () => (moments().length ? 22 : 0),
    draw(g, at) {
      for (const f of moments()) {
        const x = at.x(f.at_s),
          y = at.top + at.height / 2,
          r = f.counts ? 6 : 4;
        g.fillStyle = at.colour(MARK[f.level] ?? "--idle");
        g.globalAlpha = f.counts ? 1 : 0.6;
        g.beginPath(); // failed is an octagon, the rest a triangle: form before colour
        if (f.level === "bad")
          for (let k = 0; k < 8; k++) {
            const a = Math.PI / 8 + (k * Math.PI) / 4;
            g.lineTo(x + r * Math.cos(a), y + r * Math.sin(a));
          }
        else {
          g.moveTo(x, y - r);
          g.lineTo(x + r, y + r - 1);
          g.lineTo(x - r, y + r - 1);
        }
        g.fill();
        g.globalAlpha = 1;
      }
    },
    down({ x }) {
      const f = near(x);
      if (f) look.player.seekTime(f.at_s);
      return Boolean(f);
    },
    over({ x }) {
      const f = near(x);
      return f && { cursor: "pointer", tip: f.message };
    },
  };
}

export function lagLane(look) {
  // how far each camera's frames lie from the joints: a bar from the playhead's moment, with its interval
  const lags = () => look.view.lags;
  return {
    name: "lag",
    label: "Camera lag",
    height: () => (lags().length ? 18 * lags().length + 4 : 0),
    draw(g, at) {
      const t = look.player.time;
      lags().forEach((lag, k) => {
        const y = at.top + 12 + 18 * k,
          zero = at.x(t),
          to = at.x(t - lag.lag_ms / 1000);
        const [low, high] = [at.x(t - lag.low_ms / 1000), at.x(t - lag.high_ms / 1000)].sort((a, b) => a - b);
        g.fillStyle = at.colour("--warn");
        g.fillRect(Math.min(zero, to), y - 2, Math.max(2, Math.abs(to - zero)), 4);
        g.globalAlpha = 0.3;
        g.fillRect(low, y - 5, Math.max(1, high - low), 10);
        g.globalAlpha = 1;
        const words = `${lag.camera.replace(/^camera\//,
          "")}: frames are ${Math.abs(lag.lag_ms).toFixed(1)} ms (${Math.min(Math.abs(lag.low_ms),
            Math.abs(lag.high_ms)).toFixed(1)} to ${Math.max(Math.abs(lag.low_ms),
              Math.abs(lag.high_ms)).toFixed(1)}) ${lag.lag_ms < 0 ? "older"
                : "newer"} than their stamps${look.player.shiftLag ? ", shifted" : ""}`;
        const w = g.measureText(words).width,
          x = Math.max(low, high, zero) + 8;
        g.fillStyle = at.colour("--ink");
        g.fillText(words, x + w < at.right ? x : Math.max(at.left + 4, Math.min(low, zero) - w - 8), y + 4);
      });
    },
  };
}

export function calibrationLane(look) {
  const known = () => look.view.calibrations;
  return {
    name: "calibrations", label: "Calibration", height: () => (known().length ? 18 * known().length + 4 : 0),
    draw(g, at) {
      known().forEach((one, k) => {
        const from = Math.max(at.left, at.x(one.from_s)),
          to = Math.min(at.right, one.to_s == null ? at.right : at.x(one.to_s)),
          y = at.top + 3 + 18 * k;
        g.fillStyle = at.colour(MARK[one.level] ?? "--idle");
        g.globalAlpha = 0.16;
        g.fillRect(from, y, Math.max(0, to - from), 14);
        g.globalAlpha = 1;
        const residual = one.residual_mm == null ? "" : `, residual ${one.residual_mm.toFixed(1)} mm`;
        g.fillStyle = at.colour("--ink");
        g.fillText(
          cut(g, `${one.sensor} ${one.status.replace("_", " ")}${residual}`, to - from - 12),
          from + 6,
          y + 11,
        );
      });
    },
  };
}
