// A frame-exact player for all cameras of an episode, on one clock. How to use it:
//
//   import { Player } from "./player.js";
//   const view = await (await fetch("/api/look/EPISODE/view")).json();
//   const player = new Player(view, { stage: element });   // puts a figure with a canvas for each camera into it
//   await player.open();                                    // resolves once frame 0 is known or a camera stated why
// not
//
//   player.seek(120)          a frame of the grid (the first camera's frames; without cameras, steps of a signal)
//   player.seekTime(4.2)      seconds from the episode's start: the frame that is shown at that time
//   player.play() .pause() .toggle();  player.speed = 0.5 (0.1 to 4);  player.loop = [2.0, 3.5] or null
//   player.shiftLag = true    shows each camera shifted by its measured lag (player.setLags(lags) gives them)
//   player.frame .time .frames .duration .times .playing;  player.frameAt(seconds), player.timeAt(frame)
//   player.addEpisode(view2, { offset: 0 })   a second row of cameras: its time is this time + offset
//   player.addBoundaries(() => [seconds, …]) .nextBoundary(1 or -1)
//
//   const off = player.on("frame", ({ frame, time, passed }) => …)  after all cameras were painted; `passed` lists the
//     frames since the event before (to label while playing). Others: "seek" (at once, before pictures), "play",
//     "pause", "speed", "loop", "lag", "camera" ({ number, error, word }). `off()` stops listening.
//
// Lanes and plots under the cameras are timeline.js; keys and page are look.js. Times of segments are in seconds.
import { openFrames } from "./frames.js";
import { readSignal } from "./signals.js";
import { text } from "./marks.js";

export const SPEEDS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];
const MOST_STATS = 600, FINEST_STEP_S = 0.01, MOST_PASSED = 400, OUTSIDE_S = 0.25;
const nextPaint = () => new Promise((done) => (document.hidden ? setTimeout(done, 16) : requestAnimationFrame(done)));

export const lastAtOrBefore = (times, t) => { // the last index whose time is at or before t; -1 where none is
  let lo = 0, hi = times.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (times[mid] <= t) lo = mid + 1; else hi = mid; }
  return lo - 1;
};

export class Player {
  frame = 0; shown = -1; playing = false; stats = []; cameras = [];
  #speed = 1; #loop = null; #shift = false; #heard = new Map(); #target = null; #busy = false; #boundaries = [];
    #passed = [];
  constructor(view, { stage, engine = "auto" } = {}) {
    Object.assign(this, { view, stage, engine });
    this.times = new Float64Array([0]); this.duration = view.duration_s;
    this.lags = new Map(view.lags.map((lag) => [lag.camera, lag]));
    this.addBoundaries(() => view.segments.flatMap((s) => [s.start_s, s.end_s]));
  }

  async open() {
    await this.#openCameras(this.view, 0, 0);
    const usable = this.cameras.filter((c) => c.source && c.source.times.length > 1),
      stated = this.view.cameras.some((c) => c.name === this.view.grid);
    const first = usable.find((c) => c.camera.name === this.view.grid) ?? (stated ? usable[0] : undefined);
    if (first) this.times = first.source.times;
    else this.times = await this.#stepsOfSignal();
    this.#place();
    this.seek(Math.min(this.frame, this.frames - 1));
    return this;
  }
  async addEpisode(view, { offset = 0 } = {}) {
    await this.#openCameras(view, offset, 1);
    this.#place(); this.#show();
  }
  setOffset(offset) { for (const c of this.cameras) if (c.row) c.offset = offset; this.#place(); this.#show(); }

  get frames() { return this.times.length; }
  get time() { return this.times[this.frame] ?? 0; }
  timeAt(frame) { return this.times[Math.max(0, Math.min(this.frames - 1, frame))]; }
  frameAt(seconds) { return Math.max(0, Math.min(this.frames - 1, lastAtOrBefore(this.times, seconds + 1e-6))); }
  get step() { return this.frames > 1 ? (this.times.at(-1) - this.times[0]) / (this.frames - 1) : 1 / 30; }
  get speed() { return this.#speed; }
  set speed(value) { this.#speed = Math.max(0.1, Math.min(4, value)); this.#anchor(); this.#say("speed", this.#speed); }
  get loop() { return this.#loop; }
  set loop(span) { this.#loop = span && span[1] > span[0] ? span : null; this.#say("loop", this.#loop); }
  get shiftLag() { return this.#shift; }
  set shiftLag(on) { this.#shift = Boolean(on); this.#place(); this.#show(); this.#say("lag", this.#shift); }
  setLags(lags) { this.lags = new Map(lags.map((lag) => [lag.camera, lag])); this.#place(); this.#show();
    this.#say("lag", this.#shift); }

  on(what, hear) {
    const all = this.#heard.get(what) ?? new Set();
    this.#heard.set(what, all.add(hear));
    return () => all.delete(hear);
  }
  #say(what, news) { for (const hear of this.#heard.get(what) ?? []) hear(news); }

  addBoundaries(list) { this.#boundaries.push(list); }
  nextBoundary(direction) {
    const all = [...new Set(this.#boundaries.flatMap((list) => list()).map((t) => this.frameAt(t)))].sort(
      (a, b) => a - b,
    );
    const found = direction > 0 ? all.find((f) => f > this.frame) : all.findLast((f) => f < this.frame);
    if (found !== undefined) this.seek(found);
  }

  seekTime(seconds) { this.seek(this.frameAt(seconds)); }
  seek(frame) { // the one place that moves time; everything else only draws
    const to = Math.max(0, Math.min(this.frames - 1, Math.round(frame) || 0));
    if (this.#ticking)
      for (let f = this.frame + 1; f < to && this.#passed.length < MOST_PASSED; f++) this.#passed.push(f);
    this.#passed.push(to);
    this.frame = to;
    if (!this.#ticking) this.#anchor();
    this.#say("seek", { frame: to, time: this.time });
    this.#show();
  }
  stepBy(frames) { this.pause(); this.seek(this.frame + frames); }

  play() {
    if (this.playing) return;
    if (this.frame >= this.frames - 1) this.seek(0);
    this.playing = true; this.#passed = []; this.#anchor(); this.#say("play"); this.#tick();
  }
  pause() { if (this.playing) { this.playing = false; this.#say("pause"); } }
  toggle() { if (this.playing) this.pause(); else this.play(); }
  #ticking = false; #start = { at: 0, time: 0 };
  #anchor() { this.#start = { at: performance.now(), time: this.time }; }
  async #tick() {
    while (this.playing) {
      await nextPaint();
      if (!this.playing) return;
      let t = this.#start.time + ((performance.now() - this.#start.at) / 1000) * this.#speed;
      if (this.#loop && t >= this.#loop[1]) { this.seekTime(this.#loop[0]); continue; }
      const frame = this.frameAt(t);
      this.#ticking = true;
      if (frame !== this.frame) this.seek(frame);
      this.#ticking = false;
      if (frame >= this.frames - 1 && t >= this.times.at(-1) + this.step) {
        if (this.#loop) this.seekTime(this.#loop[0]);
        else this.pause();
      }
    }
  }

  async #openCameras(view, offset, row) {
    const box = document.createElement("div");
    box.className = "pl-row"; box.dataset.row = row;
    this.stage?.append(box);
    const opening = view.cameras.map(async (camera) => {
      const one = {
        camera,
        row,
        offset,
        view,
        number: this.cameras.length,
        ...figure(camera, row ? view.episode.name : ""),
      };
      this.cameras.push(one); box.append(one.el);
      if (!camera.frames) return this.#state(one, camera.why_not || "No frame of this camera can be opened.");
      try { one.source = await openFrames(view.address, camera, { engine: this.engine }); this.#state(one, ""); }
      catch (error) { this.#state(one, error.message); }
    });
    await Promise.all(opening);
    box.style.setProperty("--cams", view.cameras.length || 1);
  }
  #state(one, error) {
    one.error = error; one.word = one.source?.word ?? "";
    one.note.textContent = error || one.word;
    one.note.hidden = !(error || one.word);
    one.note.dataset.bad = error ? "1" : "";
    one.el.dataset.engine = one.source?.engine ?? "none";
    this.#say("camera", { number: one.number, error, word: one.word });
  }
  async #stepsOfSignal() {
    const signal =
      this.view.signals.find((s) => s.name === this.view.grid) ??
      this.view.signals.reduce((best, s) => (s.rows > (best?.rows ?? 0) ? s : best), undefined);
    if (!signal) return Float64Array.of(0);
    const { times } = await readSignal(this.view, signal), kept = [];
    for (const t of times) if (!kept.length || t - kept.at(-1) >= FINEST_STEP_S) kept.push(t);
    return Float64Array.from(kept);
  }
  #place() { // which frame of each camera goes with each step: the last one that began before the step's middle
    for (const c of this.cameras.filter((one) => one.source)) {
      const lag = this.lags.get(c.camera.name),
        late = c.offset + (this.#shift && lag && !c.row ? -lag.lag_ms / 1000 : 0);
      c.frames = Int32Array.from(this.times, (t, k) =>
        Math.max(0, lastAtOrBefore(c.source.times, (t + (this.times[k + 1] ?? t + this.step)) / 2 + late)),
      );
    }
  }

  // Several cameras, one clock: the newest target wins, and all cameras are painted in the same animation frame.
  #show() { this.#target = { frame: this.frame, since: performance.now() }; if (!this.#busy) this.#run(); }
  async #run() {
    this.#busy = true;
    while (this.#target) {
      const { frame, since } = this.#target;
      this.#target = null;
      const cameras = this.cameras.filter((c) => c.source && c.frames);
      const numbers = cameras.map((c) => c.frames[frame]);
      const pictures = await Promise.allSettled(cameras.map((c, i) => c.source.draw(numbers[i])));
      await nextPaint();
      const before = this.shown,
        moved = frame !== before;
      this.shown = frame;
      pictures.forEach((picture, i) => this.#paint(cameras[i], numbers[i], picture));
      this.stats.push({ frame, ms: performance.now() - since });
      if (this.stats.length > MOST_STATS) this.stats.shift();
      if (this.stage) this.stage.dataset.shown = frame;
      const passed = this.#passed;
      this.#passed = [];
      if (moved || passed.length) this.#say("frame", { frame, time: this.timeAt(frame), passed });
      const step = frame - before;
      // goes on in the same direction
      if (!this.#target && Math.abs(step) === 1) cameras.forEach((c, i) => c.source.near(numbers[i], step));
    }
    this.#busy = false;
  }
  get settled() { return !this.#busy && this.shown === this.frame; }
  #paint(c, number, { status, value, reason }) {
    if (status === "fulfilled") {
      const width = value.displayWidth ?? value.width, height = value.displayHeight ?? value.height;
      if (c.canvas.width !== width || c.canvas.height !== height) { c.canvas.width = width; c.canvas.height = height; }
      c.canvas.getContext("2d").drawImage(value, 0, 0);
    } else c.canvas.getContext("2d").clearRect(0, 0, c.canvas.width, c.canvas.height);
    const t = this.timeAt(this.shown) + c.offset,
      { times } = c.source,
      outside = t < times[0] - OUTSIDE_S || t > times.at(-1) + OUTSIDE_S;
    c.tag.textContent = outside ? `${number}, outside its recording` : String(number);
    c.el.dataset.outside = outside ? "1" : "";
    const error = status === "rejected" ? reason.message : "";
    if (error !== c.error || c.word !== c.source.word) this.#state(c, error);
  }
  destroy() { this.pause(); this.#target = null; for (const c of this.cameras) { c.source?.destroy(); c.el.remove(); } }
}

function figure(camera, of) {
  const el = document.createElement("figure");
  el.className = "pl-cam";
  el.style.setProperty("--ratio", camera.width ? `${camera.width} / ${camera.height}` : "4 / 3");
  const depth = camera.depth_m ? ` · ${camera.depth_m.map((m) => m.toFixed(2)).join(" to ")} m` : "";
  el.innerHTML = `<canvas width="${camera.width || 4}" height="${camera.height || 3}" role="img"
    aria-label="${text(camera.name)}"></canvas>
    <figcaption><b>${text(camera.name.replace(/^camera\//, ""))}</b>${of ? ` <em>${text(of)}</em>`
      : ""}<span>${depth}</span> <i></i></figcaption><p class="pl-note" role="status" hidden></p>`;
  return { el, canvas: el.querySelector("canvas"), tag: el.querySelector("i"), note: el.querySelector(".pl-note") };
}
