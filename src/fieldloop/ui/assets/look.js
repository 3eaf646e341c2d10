// The explorer: an episode's cameras, lanes and plots on one timeline. mount(el, { key, address, episodes }).
import { Player, SPEEDS } from "./player.js";
import { SERIES, segmentLane, Timeline } from "./timeline.js";
import { isAssumed, readSignal } from "./signals.js";
import { findingsLane, lagLane, calibrationLane } from "./lanes.js";
import { drawSide } from "./lookside.js";
import { openPoses } from "./poses.js";
import { text } from "./marks.js";

const FIRST_PLOTS = 6, MOST_LINES = 16, PLOT = 66, HIGHEST_PLOT = 150;
const ORDER = [
  "joint_position",
  "gripper",
  "action",
  "force_torque",
  "hand_pose",
  "pose",
  "joint_velocity",
  "joint_effort",
  "imu",
  "other",
];
const ICON = {
  back: '<path d="M10 2v10L4 7z"/><path d="M2.5 2H4v10H2.5z"/>',
  play: '<path d="M3 1.5v11l9-5.5z"/>',
  pause: '<path d="M3 2h3v10H3zM8 2h3v10H8z"/>',
  on: '<path d="M4 2v10l6-5z"/><path d="M10 2h1.5v10H10z"/>',
};
const icon = (name) =>
  `<svg viewBox="0 0 14 14" width="14" height="14" fill="currentColor" aria-hidden="true">${ICON[name]}</svg>`;
export const KEYS = [
  ["Space", "play, pause"],
  [", .", "one frame back, on"],
  ["← →", "one frame, with Shift ten"],
  ["0 … 9", "go to a tenth of the episode"],
  ["Home End", "first, last frame"],
  ["- =", "slower, faster (0.1 to 4 ×)"],
  ["[ ]", "previous, next boundary"],
  ["l", "loop the segment, and stop looping"],
  ["n N", "next, previous finding"],
  ["s", "shift cameras by their lag"],
  ["z Z", "zoom in, show all"],
  ["?", "these keys"],
];

export function mount(el, args) { // a log may take long to open: the page goes on meanwhile
  el.innerHTML = '<p class="dim" role="status">Opening the episode …</p>';
  open(el, args).catch((error) => fail(el, error.message));
  return null;
}

async function open(el, args) {
  const answer = await fetch(`${args.address}/view`), view = await answer.json().catch(() => ({}));
  if (!answer.ok || view.cannot_open) fail(el, view.cannot_open ?? view.detail ?? "The server does not answer.");
  else await new Look(el, view, args).start();
}

function fail(el, why) {
  el.innerHTML = `<section class="panel"><div class="body"><b>This episode cannot be opened</b><p
    class="dim">${text(why)}</p></div></section>`;
  el.dataset.ready = "1";
}

class Look {
  constructor(el, view, args) { Object.assign(this, { el, view, args, state: new URLSearchParams(location.search),
    shown: new Set() }); el.look = this; }

  async start() {
    const { el, view, state } = this;
    el.classList.add("lk");
    el.innerHTML = `<div class="lk-main"><div class="lk-stage" aria-label="Cameras"></div><section
      class="panel lk-panel"><div class="lk-bar">
        <button class="btn icon ghost" data-do="back" title="One frame back (,)"
          aria-label="One frame back">${icon("back")}</button>
        <button class="btn icon" data-do="play" title="Play or pause (Space)" aria-label="Play">${icon("play")}</button>
        <button class="btn icon ghost" data-do="on" title="One frame on (.)"
          aria-label="One frame on">${icon("on")}</button>
        <span class="lk-clock" aria-live="off"></span>
        <label class="lk-speed"><span class="sr">Speed</span><select aria-label="Speed">${SPEEDS.map((s) => `<option
          value="${s}"${s === 1 ? " selected" : ""}>${s} ×</option>`).join("")}</select></label>
        <button class="btn ghost" data-do="loop" aria-pressed="false"
          title="Loop the segment at the playhead (l)">Loop</button>
        <button class="btn ghost" data-do="lag" aria-pressed="false" hidden
          title="Shift cameras by their measured lag (s)"></button>
        <button class="btn ghost wide" data-do="fit" title="Show all (Z)">Show all</button>
        <span class="fill"></span><button class="btn ghost" data-do="keys" title="Keys (?)">Keys</button></div><div
          class="lk-time"></div></section></div>
      <aside class="lk-side"></aside>
      <dialog class="keys lk-keys" aria-label="Keys"><dl class="kv">${KEYS.map(
        ([keys, what]) =>
          `<dt>${keys
            .split(" ")
            .map((k) => `<kbd>${text(k)}</kbd>`)
            .join(" ")}</dt><dd>${what}</dd>`,
      ).join("")}</dl><form method="dialog"><button class="btn">Close</button></form></dialog>`;
    const at = (selector) => el.querySelector(selector);
    this.player = new Player(view, { stage: at(".lk-stage"), engine: state.get("engine") ?? "auto" });
    this.timeline = new Timeline(this.player, at(".lk-time"));
    this.clock = at(".lk-clock");
    this.#lanes(); this.#hear(); drawSide(this, at(".lk-side"));
    this.plots();
    await this.player.open();
    const painted = this.player.on("frame", () => { performance.mark("painted"); painted(); });
    openPoses(this.player, view, at(".lk-stage")).catch(() => {});
    this.#fitPlots();
    this.#restore();
    el.dataset.ready = "1";
    if (state.get("with")) await this.compare(state.get("with"));
    this.#check();
    return null;
  }

  #lanes() {
    const { timeline, view } = this, groups = Map.groupBy(view.segments, (s) => `${s.kind} · ${s.author}`);
    timeline.addLane(findingsLane(this));
    timeline.addLane(lagLane(this));
    timeline.addLane(calibrationLane(this));
    for (const [name, spans] of groups)
      timeline.addLane(segmentLane({ name, spans, kind: spans[0].confidence == null ? "solid" : "proposed" }));
  }

  async plots(names) { // which signals are drawn: those in the address, else the most telling ones
    const rank = (s) => { const k = ORDER.indexOf(s.kind); return k < 0 ? ORDER.length : k; };
    const usable = this.view.signals.filter((s) => s.rows > 1).sort((a, b) => rank(a) - rank(b) || a.number - b.number);
    const wanted =
      names ??
      (this.state.has("plots")
        ? this.state.get("plots").split(",")
        : usable.slice(0, FIRST_PLOTS + 2).map((s) => s.name));
    for (const name of this.shown)
      if (!wanted.includes(name)) {
        this.shown.delete(name);
        this.timeline.removePlot(name);
      }
    for (const signal of usable.filter((s) => wanted.includes(s.name) && !this.shown.has(s.name))) {
      if (!names && !this.state.has("plots") && this.shown.size >= FIRST_PLOTS) break;
      this.shown.add(signal.name);
      try {
        const { times, columns } = await readSignal(this.view, signal);
        if (!this.shown.has(signal.name)) continue;
        if (!names && !this.state.has("plots") && columns.every((column) => !(column.hi > column.lo))) {
          this.shown.delete(signal.name);
          continue;
        } // what never changes is not drawn unasked
        const lines = pickColumns(columns).map((column, k) => ({
          name: column.name,
          times,
          column,
          colour: SERIES[k % SERIES.length],
        }));
        this.timeline.addPlot({
          name: signal.name,
          assumed: isAssumed(signal),
          unit:
            signal.sent < signal.rows
              ? `${signal.unit}, lowest and highest of ${Math.round((2 * signal.rows) / signal.sent)}`
              : signal.unit,
          lines,
          height: PLOT,
        });
        if (this.other) this.ghost(signal.name);
      } catch { this.shown.delete(signal.name); }
    }
    this.side?.signals(); this.#fitPlots();
  }
  #fitPlots() { // few plots grow to fill the window
    const { timeline } = this, { plots } = timeline;
    if (!plots.length) return;
    const lanes = timeline.height - plots.reduce((sum, plot) => sum + plot.height, 0),
      room = innerHeight - timeline.el.getBoundingClientRect().top - scrollY - lanes - 28;
    const height = innerWidth < 760 ? PLOT : Math.round(Math.max(PLOT, Math.min(HIGHEST_PLOT, room / plots.length)));
    for (const plot of plots) plot.height = height;
    timeline.redraw();
  }

  async compare(key) { // a second episode: its cameras in a second row, its signals as ghost lines
    const answer = await fetch(this.args.address.replace(/[^/]+$/, encodeURIComponent(key)) + "/view");
    if (!answer.ok) return this.side.word(`${key} cannot be opened beside this one.`);
    this.other = await answer.json(); this.offset = Number(this.state.get("offset")) || 0;
    await this.player.addEpisode(this.other, { offset: this.offset });
    for (const name of this.shown) await this.ghost(name);
    this.save(); this.side.compared(); this.el.dataset.compared = key;
  }
  async ghost(name) {
    const plot = this.timeline.plots.find((p) => p.name === name),
      signal = this.other.signals.find((s) => s.name === name);
    if (!plot || !signal || plot.lines.some((line) => line.ghost)) return;
    const { times, columns } = await readSignal(this.other, signal);
    for (const line of [...plot.lines]) {
      const column = columns.find((c) => c.name === line.name);
      if (column)
        plot.lines.push({
          name: `${line.name}, other`,
          times,
          column,
          colour: line.colour,
          ghost: true,
          shift: this.offset,
        });
    }
    this.timeline.redraw();
  }
  shiftOther(offset) {
    this.offset = offset; this.player.setOffset(offset);
    for (const plot of this.timeline.plots) for (const line of plot.lines) if (line.ghost) line.shift = offset;
    this.timeline.redraw(); this.save();
  }

  async #check() { // an episode that was not checked yet is checked now, beside the playing
    if (this.view.findings && this.view.lags.length) return;
    this.side.checking(true);
    const answer = await fetch(`${this.view.address}/checked`).catch(() => null);
    if (answer?.ok) {
      const { findings, status, lags } = await answer.json();
      this.view.findings ??= findings; this.view.status ??= status; this.view.lags = lags;
      this.player.setLags(lags);
    }
    this.side.checking(false); this.side.findings(); this.#lagButton(); this.timeline.redraw();
    this.el.dataset.checked = "1";
  }
  #lagButton() {
    const button = this.el.querySelector('[data-do="lag"]'), known = this.view.lags;
    button.hidden = !known.length;
    button.textContent = known.length
      ? `Shift by lag ${known.map((l) => `${Math.round(l.lag_ms)} ms`).join(", ")}`
      : "";
    button.setAttribute("aria-pressed", this.player.shiftLag);
  }

  #restore() {
    const { state, player } = this;
    this.#lagButton();
    if (state.get("speed")) player.speed = Number(state.get("speed")) || 1;
    if (state.get("lag")) player.shiftLag = true;
    const pair = (key) => {
      const [a, b] = (state.get(key) ?? "").split("-").map(Number);
      return b > a ? [a, b] : null;
    };
    if (pair("loop")) player.loop = pair("loop");
    if (pair("zoom")) this.timeline.zoom(...pair("zoom"));
    if (state.get("f")) player.seek(Number(state.get("f")));
    else if (state.get("at")) player.seekTime(Number(state.get("at")) || 0);
    else player.seek(0);
    this.#saving = true;
  }
  #saving = false;
  save() { // the whole state is in the address
    if (!this.#saving) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const q = new URLSearchParams(location.search), { player, timeline } = this;
      const put = (key, value) => (value == null || value === "" ? q.delete(key) : q.set(key, value));
      q.delete("at");
      put("f", player.frame || null);
      put("speed", player.speed === 1 ? null : player.speed);
      put("lag", player.shiftLag ? 1 : null);
      put("loop", player.loop?.map((t) => t.toFixed(3)).join("-"));
      put("with", this.other?.key);
      put("offset", this.offset || null);
      put(
        "zoom",
        timeline.to - timeline.from < player.duration - 1e-6
          ? `${timeline.from.toFixed(2)}-${timeline.to.toFixed(2)}`
          : null,
      );
      if (this.chosen) put("plots", [...this.shown].join(","));
      history.replaceState(history.state, "", `${location.pathname}${q.size ? `?${q}` : ""}`);
    }, 250);
  }

  #hear() {
    const { el, player } = this,
      button = (name) => el.querySelector(`[data-do="${name}"]`),
      select = el.querySelector(".lk-speed select");
    const tell = () => {
      const digits = String(player.frames - 1).length;
      this.clock.innerHTML = `<b>${String(player.frame).padStart(digits, "0")}</b><span> / ${player.frames -
        1}</span><em>${player.time.toFixed(3)} s</em>`;
      this.save();
    };
    player.on("seek", tell);
    const state = () => {
      button("play").innerHTML = icon(player.playing ? "pause" : "play");
      button("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    };
    player.on("play", state); player.on("pause", state);
    player.on("speed", (speed) => {
      if (![...select.options].some((o) => Number(o.value) === speed)) select.add(new Option(`${speed} ×`, speed));
      select.value = String(speed);
      this.save();
    });
    player.on("loop", (loop) => { button("loop").setAttribute("aria-pressed", Boolean(loop)); this.save(); });
    player.on("lag", () => { this.#lagButton(); this.save(); });
    player.on("camera", () => this.side?.cameras());
    select.addEventListener("change", () => { player.speed = Number(select.value); select.blur(); });
    const actions = {
      back: () => player.stepBy(-1),
      on: () => player.stepBy(1),
      play: () => player.toggle(),
      loop: () => this.loop(),
      lag: () => {
        player.shiftLag = !player.shiftLag;
      },
      fit: () => this.timeline.showAll(),
      keys: () => el.querySelector(".lk-keys").showModal(),
    };
    el.addEventListener("click", (event) => actions[event.target.closest("[data-do]")?.dataset.do]?.());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.timeline.el.addEventListener("wheel", () => this.save(), { passive: true });
  }
  loop() { // the segment at the playhead; without one, what is in view
    const { player, timeline, view } = this, t = player.time;
    if (player.loop) { player.loop = null; return; }
    const here = view.segments
      .filter((s) => s.start_s <= t && t < s.end_s)
      .sort((a, b) => a.end_s - a.start_s - (b.end_s - b.start_s))[0];
    player.loop = here ? [here.start_s, here.end_s] : [timeline.from, timeline.to];
  }
  finding(direction) {
    const moments = (this.view.findings ?? [])
      .map((f) => f.at_s)
      .filter((t) => t != null)
      .map((t) => this.player.frameAt(t))
      .sort((a, b) => a - b);
    const next =
      direction > 0 ? moments.find((f) => f > this.player.frame) : moments.findLast((f) => f < this.player.frame);
    if (next !== undefined) this.player.seek(next);
  }
  #key(event) {
    if (event.target.closest?.("input, textarea, select, dialog") || event.metaKey || event.ctrlKey || event.altKey)
      return;
    const { player, timeline } = this,
      speed = (d) => {
        const k = SPEEDS.reduce(
          (best, s, i) => (Math.abs(s - player.speed) < Math.abs(SPEEDS[best] - player.speed) ? i : best),
          0,
        );
        player.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, k + d))];
      };
    const does = {
      " ": () => player.toggle(), ",": () => player.stepBy(-1), ".": () => player.stepBy(1),
        "[": () => player.nextBoundary(-1), "]": () => player.nextBoundary(1),
      ArrowLeft: () => player.stepBy(event.shiftKey ? -10 : -1), ArrowRight: () => player.stepBy(event.shiftKey ? 10
        : 1), Home: () => player.seek(0), End: () => player.seek(player.frames - 1),
      "-": () => speed(-1), "=": () => speed(1), "+": () => speed(1), l: () => this.loop(), n: () => this.finding(1),
        N: () => this.finding(-1), s: () => { if (this.view.lags.length) player.shiftLag = !player.shiftLag; },
      z: () => { timeline.zoomBy(0.5); this.save(); }, Z: () => { timeline.showAll(); this.save(); },
        "?": () => this.el.querySelector(".lk-keys").showModal(),
    };
    const act = /^[0-9]$/.test(event.key)
      ? () => player.seekTime((player.duration * Number(event.key)) / 10)
      : does[event.key];
    if (!act || (event.key === " " && event.target.closest?.("button, a, summary"))) return;
    event.preventDefault(); event.stopPropagation(); act();
  }
}

// Too many lines hide each other: those that move most are drawn. Of a pose its place is drawn, not its quaternion,
// which has another unit and may change its sign from row to row without any motion.
function pickColumns(all) {
  const places = all.filter((column) => !/(?:^|[^a-z])q_?[xyzw]$/i.test(column.name));
  const columns = places.length ? places : all;
  if (columns.length <= MOST_LINES) return columns;
  const chosen = new Set([...columns].sort((a, b) => (b.hi - b.lo) - (a.hi - a.lo)).slice(0, MOST_LINES));
  return columns.filter((column) => chosen.has(column));
}
