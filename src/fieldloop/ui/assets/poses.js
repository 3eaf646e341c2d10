// Poses of hands and tools at the playhead: from above (x, y) and from the side (x, z), each stream's way and its
// points.
// openPoses(player, view, stage) adds a figure beside the cameras where the episode has such streams.
import { lastAtOrBefore } from "./player.js";
import { readSignal } from "./signals.js";
import { text } from "./marks.js";
import { SERIES } from "./timeline.js";

const KINDS = ["hand_pose", "pose"], MOST_STREAMS = 4, TRAIL_S = 1, MOST_STEPS = 600, LEAST_M = 1e-3, PAD = 26;

export async function openPoses(player, view, stage) {
  const streams = view.signals
    .filter((s) => KINDS.includes(s.kind) && s.rows > 1 && findPoints(s.columns).length)
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .slice(0, MOST_STREAMS);
  const read = await Promise.all(
    streams.map(async (s) => {
      const { times, columns } = await readSignal(view, s);
      return { name: s.name, times, points: findPoints(s.columns).map((at) => at.map((k) => columns[k])) };
    }),
  );
  const moving = read.filter(({ points }) => points[0].some((c) => c.hi - c.lo > LEAST_M));
  if (!moving.length) return null;
  const figure = document.createElement("figure");
  figure.className = "pl-cam pl-pose";
  figure.innerHTML = `<canvas width="640" height="360" role="img"
    aria-label="Poses from above and from the side"></canvas><figcaption><b>poses</b> ${moving.map((m,
      k) => `<span style="color: var(${SERIES[k]})">${text(m.name)}</span>`).join(" ")}</figcaption>`;
  stage.querySelector(".pl-row").append(figure);
  stage
    .querySelector(".pl-row")
    .style.setProperty("--cams", stage.querySelectorAll(".pl-row[data-row='0'] > figure").length);
  const canvas = figure.querySelector("canvas"), draw = () => drawPoses(canvas, moving, player.time);
  player.on("frame", draw);
  new ResizeObserver(draw).observe(canvas);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  draw();
  return figure;
}

// Which columns are points: those named x, y, z one after the other; of unnamed columns every three.
export function findPoints(columns) {
  const axis = (name) =>
    /(?:^|[^a-z])([xyz])$/i.exec(name)?.[1].toLowerCase() ??
    /^(?:pos|position|p)_?([xyz])$/i.exec(name)?.[1].toLowerCase();
  const found = [];
  for (let k = 0; k + 2 < columns.length; k++)
    if (
      axis(columns[k]) === "x" &&
      axis(columns[k + 1]) === "y" &&
      axis(columns[k + 2]) === "z" &&
      !/q|quat|rot|orient|ang/i.test(columns[k])
    )
      found.push([k, k + 1, k + 2]);
  if (found.length || columns.some((name) => !/^\[\d+\]$/.test(name))) return found;
  if (columns.length === 3 || columns.length === 7) return [[0, 1, 2]];
  return columns.length % 3 ? [] : columns.flatMap((_, k) => (k % 3 ? [] : [[k, k + 1, k + 2]]));
}

function drawPoses(canvas, streams, time) {
  const ratio = devicePixelRatio || 1,
    W = Math.round(canvas.clientWidth * ratio),
    H = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== W || canvas.height !== H) { canvas.width = W; canvas.height = H; }
  const g = canvas.getContext("2d"),
    style = getComputedStyle(canvas),
    colour = (token) => style.getPropertyValue(token).trim() || "sans-serif",
    half = canvas.width / 2;
  g.clearRect(0, 0, canvas.width, canvas.height);
  [[0, 1, "above: x →, y ↑"], [0, 2, "side: x →, z ↑"]].forEach(([across, up, words], view) => {
    const ends = (axis) =>
      streams.reduce(
        ([lo, hi], { points }) =>
          points.reduce(([a, b], p) => [Math.min(a, p[axis].lo), Math.max(b, p[axis].hi)], [lo, hi]),
        [Infinity, -Infinity],
      );
    const [x0, x1] = ends(across), [y0, y1] = ends(up), room = { w: half - 2 * PAD, h: canvas.height - 2 * PAD - 14 };
    const scale = Math.min(room.w / (x1 - x0 || 1e-3), room.h / (y1 - y0 || 1e-3)),
      left = view * half + half / 2,
      top = 14 + canvas.height / 2;
    const x = (v) => left + (v - (x0 + x1) / 2) * scale, y = (v) => top - (v - (y0 + y1) / 2) * scale;
    g.font = `${11 * ratio}px ${colour("--sans")}`;
    g.fillStyle = colour("--ink-3");
    g.fillText(words, view * half + 10 * ratio, canvas.height - 8 * ratio);
    streams.forEach(({ times, points }, k) => {
      const now = Math.max(0, lastAtOrBefore(times, time + 1e-6)),
        begin = Math.max(0, lastAtOrBefore(times, time - TRAIL_S)),
        [first] = points;
      const way = (from, to, alpha, width) => {
        g.beginPath(); g.globalAlpha = alpha; g.lineWidth = width; g.strokeStyle = colour(SERIES[k]);
        for (let i = from, step = Math.max(1, Math.floor((to - from) / MOST_STEPS)); i <= to; i += step)
          g.lineTo(x(first[across].values[i]), y(first[up].values[i]));
        g.stroke(); g.globalAlpha = 1;
      };
      way(0, times.length - 1, 0.35, 1.5); way(begin, now, 1, 3);
      g.fillStyle = colour(SERIES[k]);
      points.forEach((p, n) => {
        g.beginPath();
        g.arc(x(p[across].values[now]), y(p[up].values[now]), (n ? 2.5 : 4.5) * ratio, 0, 7);
        g.fill();
      });
    });
  });
}
