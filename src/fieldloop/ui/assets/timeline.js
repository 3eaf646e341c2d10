// One timeline under the cameras: ruler, lanes, plots, and the playhead that they share. How to use it:
//
//   const timeline = new Timeline(player, element);
//   timeline.addLane({ name: "mine", height: 22, draw(g, at) {…}, down(event) {…} }, { before: "segments" })
//     draw(g, at): g is a 2D context, at = { x(seconds), top, height, left, right, width, from, to, colour(token) }
//     down({ time, frame, x, y, original }): the pointer went down in the lane; return { move(event), up(event) } to
// drag,
//       true to have handled it, nothing to let it move the playhead. over({ time, x, y }) returns a cursor and a tip.
//   timeline.addPlot({ name, unit, lines: [{ name, times, column, colour, ghost }] });  timeline.removePlot(name)
//   timeline.zoom(from, to) · timeline.showAll() · timeline.redraw() after a lane's content has changed
import { lastAtOrBefore } from "./player.js";
import { thin } from "./signals.js";

const RULER = 22, WIDE_GUTTER = 188, NARROW_GUTTER = 84, NARROW = 700, LINE = 13, RIGHT = 8;
export const SERIES = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6"];

export class Timeline {
  from = 0; lanes = []; plots = []; pointer = null;
  #tokens = {};
  constructor(player, el) {
    Object.assign(this, { player, el, to: player.duration || 1 });
    el.classList.add("tl"); el.tabIndex = 0;
    el.setAttribute("role", "slider"); el.setAttribute("aria-label", "Time"); el.setAttribute("aria-valuemin", "0");
    el.innerHTML = '<canvas aria-hidden="true"></canvas><canvas aria-hidden="true"></canvas>';
    [this.base, this.over] = el.children;
    player.on("seek", ({ time }) => { this.#follow(time); this.#drawOver(); this.#announce(); });
    for (const what of ["loop", "lag"]) player.on(what, () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(el);
    new MutationObserver(() => {
      this.#tokens = {};
      this.redraw();
    }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#listen();
  }

  addLane(lane, { before } = {}) {
    const at = before ? this.lanes.findIndex((one) => one.name === before) : -1;
    this.lanes.splice(at < 0 ? this.lanes.length : at, 0, lane);
    this.redraw(); return lane;
  }
  removeLane(lane) { this.lanes = this.lanes.filter((one) => one !== lane); this.redraw(); }
  addPlot(plot) { this.plots.push(plot); this.redraw(); }
  removePlot(name) { this.plots = this.plots.filter((plot) => plot.name !== name); this.redraw(); }
  zoom(from, to) {
    const all = this.player.duration || 1, width = Math.min(all, Math.max(to - from, 4 * this.player.step));
    this.from = Math.max(0, Math.min(from, all - width)); this.to = this.from + width; this.redraw();
  }
  zoomBy(factor, about = this.player.time) { this.zoom(about - (about - this.from) * factor,
    about + (this.to - about) * factor); }
  showAll() { this.zoom(0, this.player.duration || 1); }
  redraw() { this.asked ??= requestAnimationFrame(() => { this.asked = null; this.#drawBase(); this.#drawOver(); }); }
  colour(token) { return (this.#tokens[token]
    ??= getComputedStyle(document.documentElement).getPropertyValue(token).trim()); }

  get #gutter() { return this.el.clientWidth < NARROW ? NARROW_GUTTER : WIDE_GUTTER; }
  x(t) { return this.left + ((t - this.from) / (this.to - this.from)) * this.width; }
  timeAt(x) { return this.from + ((x - this.left) / this.width) * (this.to - this.from); }
  get height() { return RULER + this.lanes.reduce((sum, lane) => sum + this.#laneHeight(lane),
    0) + this.plots.reduce((sum, plot) => sum + plot.height, 0) + 4; }
  #laneHeight(lane) { return typeof lane.height === "function" ? lane.height() : lane.height; }

  #follow(time) { // the view moves on when the playhead leaves it
    if (time >= this.from && time <= this.to) return;
    const width = this.to - this.from;
    this.zoom(time < this.from ? time - 0.1 * width : time - 0.1 * width, 0 + (time + 0.9 * width));
  }
  #announce() {
    const { player, el } = this;
    el.setAttribute("aria-valuemax", player.frames - 1); el.setAttribute("aria-valuenow", player.frame);
    el.setAttribute("aria-valuetext", `frame ${player.frame}, ${player.time.toFixed(2)} seconds`);
  }

  #prepare(canvas) {
    const ratio = devicePixelRatio || 1, w = this.el.clientWidth, h = this.height;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
      canvas.style.height = `${h}px`;
    }
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0); g.clearRect(0, 0, w, h);
    g.font = `11px ${this.colour("--sans") || "sans-serif"}`; g.textBaseline = "alphabetic";
    return g;
  }
  #drawBase() {
    this.left = this.#gutter; this.width = Math.max(40, this.el.clientWidth - this.left - RIGHT);
    this.el.style.height = `${this.height}px`;
    const g = this.#prepare(this.base);
    this.#drawRuler(g);
    let top = RULER;
    for (const lane of this.lanes) {
      const height = this.#laneHeight(lane);
      lane.top = top; lane.drawn = height;
      if (height) {
        this.#rule(g, top);
        this.#label(g, lane.label ?? lane.name, top + height / 2 + 4);
        this.#clipped(g, top, height, () => lane.draw(g, this.#at(top, height)));
      }
      top += height;
    }
    for (const plot of this.plots) { plot.top = top; this.#rule(g, top); this.#drawPlot(g, plot); top += plot.height; }
  }
  #at(top, height) { return { x: (t) => this.x(t), top, height, left: this.left, right: this.left + this.width,
    width: this.width, from: this.from, to: this.to, colour: (token) => this.colour(token) }; }
  #clipped(g, top, height, draw) { g.save(); g.beginPath(); g.rect(this.left, top, this.width, height); g.clip();
    draw(); g.restore(); }
  #rule(g, y) { g.fillStyle = this.colour("--line"); g.fillRect(0, y, this.el.clientWidth, 1); }
  #label(g, words, y) { g.fillStyle = this.colour("--ink-2"); g.fillText(cut(g, words, this.left - 16), 10, y); }
  #drawRuler(g) {
    const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600],
      span = this.to - this.from;
    const step = steps.find((s) => (s / span) * this.width >= 64) ?? 7200, digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
    g.textAlign = "center";
    for (let k = Math.ceil(this.from / step); k * step <= this.to + 1e-9; k++) {
      const x = this.x(k * step);
      g.fillStyle = this.colour("--line"); g.fillRect(Math.round(x), RULER - 5, 1, this.height - RULER);
      g.fillStyle = this.colour("--ink-3");
      if (x > this.left + 10 && x < this.left + this.width - 10)
        g.fillText(`${(k * step).toFixed(digits)}`, x, RULER - 8);
    }
    g.textAlign = "left"; g.fillText("s", 10, RULER - 8);
    const { loop } = this.player;
    if (loop) {
      g.fillStyle = this.colour("--accent");
      g.globalAlpha = 0.18;
      g.fillRect(this.x(loop[0]), 0, this.x(loop[1]) - this.x(loop[0]), this.height);
      g.globalAlpha = 1;
    }
  }
  #drawPlot(g, plot) {
    const [lo, hi] = plotRange(plot), pad = (hi - lo) * 0.08 || 0.5;
    plot.y = (v) => plot.top + 6 + ((hi + pad - v) / (hi - lo + 2 * pad)) * (plot.height - 12);
    g.fillStyle = this.colour("--ink-3"); g.textAlign = "right";
    for (const v of this.left < WIDE_GUTTER ? [] : hi > lo ? [hi, lo] : [lo])
      g.fillText(short(v), this.left - 6, Math.min(Math.max(plot.y(v) + 4, plot.top + 13), plot.top + plot.height - 4));
    g.textAlign = "left";
    this.#clipped(g, plot.top, plot.height, () => {
      for (const line of plot.lines) {
        const shift = line.shift ?? 0,
          points = thin(line.times, line.column, this.from + shift, this.to + shift, Math.round(this.width));
        g.beginPath();
        g.strokeStyle = this.colour(line.colour);
        g.lineWidth = line.ghost ? 1 : 1.25;
        g.globalAlpha = line.ghost ? 0.55 : 1;
        g.setLineDash(line.ghost ? [4, 3] : []);
        let pen = false;
        for (let k = 0; k < points.length; k += 2) {
          const v = points[k + 1];
          if (!Number.isFinite(v)) {
            pen = false;
            continue;
          }
          g[pen ? "lineTo" : "moveTo"](this.left + points[k] * (this.width / Math.round(this.width)), plot.y(v));
          pen = true;
        }
        g.stroke();
      }
      g.globalAlpha = 1; g.setLineDash([]);
    });
  }
  #drawOver() {
    if (!this.width) return;
    const g = this.#prepare(this.over), { player } = this, t = player.time, x = this.x(t);
    if (x >= this.left - 1 && x <= this.left + this.width + 1) {
      g.fillStyle = this.colour("--accent"); g.fillRect(Math.round(x) - 0.5, RULER - 8, 1.5, this.height);
      g.beginPath(); g.moveTo(x - 5, RULER - 14); g.lineTo(x + 5, RULER - 14); g.lineTo(x, RULER - 6); g.fill();
    }
    for (const plot of this.plots) this.#drawValues(g, plot, t);
    if (this.pointer) this.#drawPointer(g);
  }
  #drawValues(g, plot, t) { // name, unit, and each column's value at the playhead, as many as there is room for
    const narrow = this.left < WIDE_GUTTER,
      room = Math.max(1, Math.floor((plot.height - 8) / LINE)),
      own = plot.lines.filter((line) => !line.ghost);
    g.fillStyle = this.colour("--ink-2"); g.font = `500 11px ${this.colour("--sans") || "sans-serif"}`;
    const named = plot.unit && !narrow && !plot.assumed ? `${plot.name} (${plot.unit})` : plot.name,
      wide_enough = this.left - (narrow ? 14 : 50);
    g.fillText(cut(g, named, wide_enough), 10, plot.top + 14);
    const skipped = plot.assumed ? 1 : 0; // an assumed unit has a line of its own, so that the word is not cut off
    if (skipped) {
      g.fillStyle = this.colour("--warn");
      g.fillText(cut(g, `${plot.unit} (assumed)`, wide_enough), 10, plot.top + 14 + LINE);
    }
    g.font = `11px ${this.colour("--sans") || "sans-serif"}`;
    const rows = room - 1 - skipped,
      wide = narrow ? 1 : 2,
      most = rows * wide,
      step = (this.left - (narrow ? 14 : 54)) / wide;
    own.slice(0, own.length > most ? most - 1 : most).forEach((line, k) => {
      const i = Math.max(0, lastAtOrBefore(line.times, t + 1e-6)),
        px = 10 + (k % wide) * step,
        py = plot.top + 14 + LINE * (1 + skipped + Math.floor(k / wide));
      g.fillStyle = this.colour(line.colour); g.fillRect(px, py - 7, 3, 7);
      g.fillStyle = this.colour("--ink"); g.fillText(cut(g, short(line.column.values[i]), step - 8), px + 6, py);
    });
    if (own.length > most && most > 0) {
      g.fillStyle = this.colour("--ink-3");
      const k = most - 1;
      g.fillText(
        `+${own.length - k}`,
        10 + (k % wide) * step,
        plot.top + 14 + LINE * (1 + skipped + Math.floor(k / wide)),
      );
    }
  }
  #drawPointer(g) { // the time and the nearest line under the pointer
    const { x, y } = this.pointer, t = this.timeAt(x);
    if (x < this.left) return;
    g.fillStyle = this.colour("--ink-3"); g.fillRect(Math.round(x), RULER, 1, this.height - RULER);
    const plot = this.plots.find((one) => y >= one.top && y < one.top + one.height),
      lane = this.lanes.find((one) => y >= one.top && y < one.top + one.drawn);
    let words = `${t.toFixed(3)} s`;
    if (plot) {
      const near = plot.lines
        .map((line) => {
          const v = line.column.values[Math.max(0, lastAtOrBefore(line.times, t + (line.shift ?? 0)))];
          return { line, v, d: Math.abs(plot.y(v) - y) };
        })
        .filter((one) => Number.isFinite(one.d))
        .sort((a, b) => a.d - b.d)[0];
      if (near)
        words += `  ${near.line.name} ${short(near.v)}${plot.unit ? ` ${plot.unit}${plot.assumed ? " (assumed)" : ""}`
          : ""}`;
    } else if (lane?.over) { const tip = lane.over({ time: t, x, y })?.tip; if (tip) words += `  ${tip}`; }
    const w = g.measureText(words).width + 12, left = Math.min(x + 8, this.left + this.width - w);
    const top = Math.min(y + 14, this.height - 20);
    g.fillStyle = this.colour("--surface");
    g.strokeStyle = this.colour("--line-2");
    g.beginPath();
    g.roundRect(left, top, w, 18, 4);
    g.fill();
    g.stroke();
    g.fillStyle = this.colour("--ink"); g.fillText(words, left + 6, top + 13);
  }

  #listen() {
    const { el, player } = this;
    const where = (event) => {
      const box = el.getBoundingClientRect(),
        x = event.clientX - box.left,
        y = event.clientY - box.top,
        time = Math.max(0, Math.min(player.duration, this.timeAt(x)));
      return { x, y, time, frame: player.frameAt(time), original: event };
    };
    const laneAt = (y) => this.lanes.find((lane) => y >= lane.top && y < lane.top + lane.drawn);
    let drag = null;
    el.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const at = where(event);
      if (at.x < this.left) return;
      el.setPointerCapture(event.pointerId);
      const handled = laneAt(at.y)?.down?.(at);
      drag = handled?.move || handled?.up ? handled : handled ? {} : { move: (now) => player.seek(now.frame) };
      if (!handled) player.seek(at.frame);
    });
    el.addEventListener("pointermove", (event) => {
      const at = where(event);
      this.pointer = at;
      if (drag) drag.move?.(at);
      else el.style.cursor = at.x < this.left ? "" : laneAt(at.y)?.over?.(at)?.cursor ?? "crosshair";
      this.#drawOver();
    });
    const end = (event) => { drag?.up?.(where(event)); drag = null; };
    el.addEventListener("pointerup", end); el.addEventListener("pointercancel", end);
    el.addEventListener("pointerleave", () => { this.pointer = null; this.#drawOver(); });
    el.addEventListener("dblclick", () => this.showAll());
    el.addEventListener("wheel", (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!event.ctrlKey && !sideways) return; // the page scrolls
      event.preventDefault();
      const span = this.to - this.from;
      if (sideways && !event.ctrlKey) {
        const by = ((event.deltaX || event.deltaY) / this.width) * span;
        this.zoom(this.from + by, this.to + by);
      } else this.zoomBy(Math.exp(event.deltaY / 300), this.timeAt(where(event).x));
    }, { passive: false });
  }
}

function plotRange(plot) {
  let lo = Infinity, hi = -Infinity;
  for (const { column } of plot.lines) { lo = Math.min(lo, column.lo); hi = Math.max(hi, column.hi); }
  return Number.isFinite(lo) && Number.isFinite(hi) ? [lo, hi] : [0, 1];
}
export const short = (v) => {
  if (!Number.isFinite(v)) return "–";
  const far = Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-3);
  const written = far ? v.toExponential(1) : String(Number(v.toPrecision(4)));
  return written.replaceAll("-", "−");
};
export function cut(g, words, room) {
  if (g.measureText(words).width <= room) return words;
  let n = words.length;
  while (n > 1 && g.measureText(`${words.slice(0, n)}…`).width > room) n--;
  return `${words.slice(0, n)}…`;
}

// A lane of labelled spans: filled bars with their label; a click moves to the moment, [ ] and l use the spans.
export function segmentLane({ name, label, spans, kind = "solid", height = 20 }) {
  const colours = new Map();
  const colourOf = (one) => {
    if (!colours.has(one.label)) colours.set(one.label, SERIES[colours.size % SERIES.length]);
    return colours.get(one.label);
  };
  return {
    name, label, height, spans,
    draw(g, at) {
      for (const one of spans) {
        const x = at.x(one.start_s), w = Math.max(2, at.x(one.end_s) - x), c = at.colour(colourOf(one));
        g.fillStyle = c;
        g.globalAlpha = kind === "solid" ? 0.28 : 0.12;
        g.fillRect(x, at.top + 3, w, at.height - 5);
        g.globalAlpha = 1;
        g.fillRect(x, at.top + 3, 2, at.height - 5);
        if (kind !== "solid") {
          g.strokeStyle = c;
          g.setLineDash([3, 2]);
          g.strokeRect(x + 0.5, at.top + 3.5, w - 1, at.height - 6);
          g.setLineDash([]);
        }
        g.fillStyle = at.colour("--ink");
        const from = Math.max(x, at.left);
        if (x + w - from > 18) g.fillText(cut(g, one.label, x + w - from - 8), from + 6, at.top + at.height / 2 + 4);
      }
    },
    over({ time }) {
      const one = spans.find((span) => span.start_s <= time && time < span.end_s);
      return (
        one && {
          cursor: "pointer",
          tip: `${one.label}${one.confidence == null ? "" : ` ${Math.round(100 * one.confidence)} %`} · ${one.author}`,
        }
      );
    },
  };
}
