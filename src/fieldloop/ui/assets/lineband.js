// A rate over time with its interval, beside its rival's, with baseline, alarm and moments. draw(svg, success,
// {height}).
import { dayOf, minuteOf, percent, text } from "./marks.js";

// the JSON twin says ISO times; a page that was drawn on the server hands nanoseconds over
const time = (o, key) => (o[key] ? Date.parse(o[key]) : o[`${key}_ns`] / 1e6);
const L = 34, R = 12, T = 16, B = 22, DAY = 864e5;

export function draw(svg, success, { height = 216 } = {}) {
  const points = success.points.map((p) => ({ ...p, t: time(p, "end") }));
  if (points.length < 2) return;
  const rival = (success.rival?.points ?? []).map((p) => ({ ...p, t: time(p, "end") })), all = [...points, ...rival];
  const W = Math.max(240, svg.parentElement.clientWidth - 24),
    [first, last] = [Math.min(...all.map((p) => p.t)), Math.max(...all.map((p) => p.t))];
  const { lo, hi, ticks } = scale(all, success);
  const x = (t) => L + ((t - first) / (last - first)) * (W - L - R),
    y = (v) => T + ((hi - v) / (hi - lo)) * (height - T - B);
  const path = (key, list = points) =>
    list.map((p, k) => `${k ? "L" : "M"}${x(p.t).toFixed(1)} ${y(p[key]).toFixed(1)}`).join("");
  const line = (list, colour, name) =>
    `<path d="${path("low", list) + path("high", list.slice().reverse()).replace("M", "L")}Z" fill="${colour}"
      opacity=".16"/><path d="${path("rate", list)}" fill="none" stroke="${colour}" stroke-width="1.75"
        stroke-linejoin="round"/>` +
    (rival.length
      ? `<text x="${Math.min(x(list.at(-1).t), W - R) - 4}" y="${y(list.at(-1).rate) - 8}" text-anchor="end"
        font-size="11" font-weight="600" fill="${colour}" ${halo}>${text(name)}</text>`
      : "");
  svg.setAttribute("viewBox", `0 0 ${W} ${height}`);
  svg.setAttribute("height", height);
  svg.innerHTML =
    grid(ticks, y, W) +
    dates(first, last, x, W, height) +
    zone(success, lo, y, W) +
    (rival.length ? line(rival, "var(--c2)", success.rival.policy) : "") +
    line(points, "var(--c1)", success.policy) +
    limit(success.baseline, "Baseline", "var(--ink-2)", "5 3", y, W) +
    limit(success.alarm, "Alarm", "var(--bad)", "2 3", y, W, true) +
    moments(success.moments, first, last, x, W, height) +
    '<g class="tip" visibility="hidden"><path stroke="var(--line-2)"/>' +
    '<circle r="3.5" fill="var(--c1)" stroke="var(--surface)" stroke-width="1.5"/>' +
    '<text font-size="11" fill="var(--ink)" stroke="var(--surface)" stroke-width="4" ' +
    'paint-order="stroke"></text></g>';
  hover(svg, points, x, y, W, height);
}

function scale(points, { baseline, alarm }) {
  const seen = points.flatMap((p) => [p.low, p.high]).concat([baseline, alarm].filter((v) => v != null));
  const step =
    Math.max(...seen) - Math.min(...seen) > 0.4 ? 0.2 : Math.max(...seen) - Math.min(...seen) > 0.2 ? 0.1 : 0.05;
  const lo = Math.max(0, Math.floor(Math.min(...seen) / step) * step),
    hi = Math.min(1, Math.ceil(Math.max(...seen) / step) * step);
  const ticks = [];
  for (let v = lo; v <= hi + 1e-9; v += step) ticks.push(v);
  return { lo, hi: Math.max(hi, lo + step), ticks };
}

const halo = 'stroke="var(--surface)" stroke-width="3" paint-order="stroke"';
const grid = (ticks, y, W) =>
  ticks
    .map(
      (v) =>
        `<path d="M${L} ${y(v)}H${W - R}" stroke="var(--line)"/><text x="${L - 6}" y="${y(v) + 4}" text-anchor="end"
          font-size="11" fill="var(--ink-3)">${Math.round(100 * v)}</text>`,
    )
    .join("");
const zone = ({ alarm }, lo, y, W) =>
  alarm == null || alarm <= lo
    ? ""
    : `<rect x="${L}" y="${y(alarm)}" width="${W - L - R}" height="${y(lo) - y(alarm)}" fill="var(--bad)"
      opacity=".05"/>`;
const limit = (v, word, colour, dash, y, W, below) =>
  v == null
    ? ""
    : `<path d="M${L} ${y(v)}H${W - R}" stroke="${colour}" stroke-dasharray="${dash}"/><text x="${L + 4}"
      y="${y(v) + (below ? 13 : -5)}" font-size="11" fill="${colour}" ${halo}>${word} ${percent(v, 0)}</text>`;

function dates(first, last, x, W, height) {
  const long = last - first > 2 * DAY, count = Math.max(2, Math.min(8, Math.floor(W / 90)));
  let step = (last - first) / (count - 1);
  if (long) step = Math.max(1, Math.round(step / DAY)) * DAY;
  let out = "";
  for (let t = first; t <= last + 1; t += step) {
    const near = x(t) > W - 40;
    out += `<text x="${x(t)}" y="${height - 4}" font-size="11" fill="var(--ink-3)" text-anchor="${t === first ? "start"
      : near ? "end" : "middle"}">${long ? dayOf(t) : minuteOf(t)}</text>`;
  }
  return out;
}

function moments(list, first, last, x, W, height) {
  let before = -1e9, row = 0;
  return list.map((m) => ({ ...m, t: time(m, "at") })).filter((m) => m.t >= first && m.t <= last).map((m) => {
    const at = x(m.t), colour = m.mark === "bad" ? "var(--bad)" : "var(--ink-2)", end = at > W - 90;
    row = at - before < 80 ? (row + 1) % 4 : 0; before = at;
    return `<path d="M${at} ${T - 4}V${height - B}" stroke="${m.mark === "bad" ? "var(--bad)" : "var(--ink-3)"}"/><text
      x="${at + (end ? -5 : 5)}" y="${T + 4 + 13 * row}" text-anchor="${end ? "end" : "start"}" font-size="11"
        font-weight="500" fill="${colour}" ${halo}>${text(m.text)}</text>`;
  }).join("");
}

function hover(svg, points, x, y, W, height) {
  const tip = svg.querySelector(".tip"), [line, dot, label] = tip.children;
  svg.onpointermove = (event) => {
    const near = points.reduce((best, p) =>
      Math.abs(x(p.t) - event.offsetX) < Math.abs(x(best.t) - event.offsetX) ? p : best,
    );
    const at = x(near.t), end = at > W / 2;
    tip.setAttribute("visibility", "visible");
    line.setAttribute("d", `M${at} ${T}V${height - B}`);
    dot.setAttribute("cx", at); dot.setAttribute("cy", y(near.rate));
    const interval = `(${percent(near.low)} to ${percent(near.high)})`;
    label.textContent = `${dayOf(near.t)} ${minuteOf(near.t)}: ${percent(near.rate)} ${interval}, n ${near.episodes}`;
    label.setAttribute("x", at + (end ? -8 : 8));
    label.setAttribute("text-anchor", end ? "end" : "start");
    label.setAttribute("y", height - B - 8);
  };
  svg.onpointerleave = () => tip.setAttribute("visibility", "hidden");
}
