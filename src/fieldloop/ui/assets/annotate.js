// The annotation page: the player with lanes that are edited while it plays. mount(el, { labels, modes, address }).
import { Player } from "./player.js";
import { Timeline, SERIES } from "./timeline.js";
import { isAssumed, readSignal } from "./signals.js";
import { accept, acceptAll, Decision, deciding, readDraft } from "./annodecide.js";
import { drawBar, showState } from "./annobar.js";
import { hearKeys } from "./annokeys.js";
import { changesLane, differencesLane, ownLane, readOnlyLane } from "./annolanes.js";
import { Draft, post } from "./annosave.js";
import { drawSide } from "./annoside.js";
import { keepReaction, measureReaction, readReaction } from "./annoreaction.js";
import {
  at as segmentAt,
  boundaries,
  change,
  cut,
  gapAt,
  History,
  mergeBack,
  move,
  nearest,
  paint,
  problems,
  snap,
} from "./annosegments.js";
import { text } from "./marks.js";

const VERDICT = ["success", "failure", "object"], PLOTS = 3, PLOT = 68, STROKE_MS = 400;
const TELLING = ["gripper", "force_torque", "joint_position", "action", "hand_pose", "pose"];

export function mount(el, args) { // a log may take long to open: the page goes on meanwhile
  el.innerHTML = '<p class="dim" role="status">Opening the episode …</p>';
  open(el, args).catch((error) => fail(el, error.message));
  return null;
}
async function open(el, args) {
  const answer = await fetch(`${args.address}/view`).catch(() => null), view = await answer?.json().catch(() => null);
  if (!answer?.ok || !view || view.cannot_open)
    fail(el, view?.cannot_open ?? view?.detail ?? "The server does not answer.");
  else await new Editor(el, view, args).start();
}
function fail(el, why) {
  el.innerHTML = `<section class="panel"><div class="body"><b>This episode cannot be opened</b><p
    class="dim">${text(why)}</p></div></section>`;
  el.dataset.ready = "1";
}

export class Editor {
  changes = []; differences = []; difference = null; wrong = []; pen = null; comment = ""; #stroke = null; #played = 0;
  constructor(el, view, { labels, modes, version }) {
    Object.assign(this, {
      el,
      view,
      labelling: { ...labels, taxonomy_name: version },
      modes,
      author: labels.author,
      reaction: readReaction(labels.author),
      state: new URLSearchParams(location.search),
    });
    this.narrow = matchMedia("(max-width: 760px)");
    this.kinds = [...new Set(labels.taxonomy.labels.map((one) => one.kind))];
    this.verdictKinds = VERDICT.filter((kind) => this.kinds.includes(kind));
    this.deciding = deciding(this);
    const asked = this.deciding || this.state.get("kind") || labels.tasks.flatMap((task) => task.kinds)[0];
    this.kind = this.kinds.includes(asked) ? asked : this.kinds[0];
    view.segments = []; // own lanes, proposals and other people have lanes of their own here
    el.editor = this;
  }
  get end() { return this.labelling.lasts_s || this.player.duration; }
  get mode() { return this.modes[this.kind] ?? "never"; }
  get labels() { return this.labelsOf(this.kind); }
  labelsOf(kind) { return this.labelling.taxonomy.labels.filter((one) => one.kind === kind); }
  get mayEdit() { return !this.narrow.matches; }
  get every() { return this.decision ? [this.decision] : [...this.drafts.values()]; }
  get draft() { return this.decision ?? this.drafts.get(this.kind); }
  get history() { return this.deciding ? this.decision.history : this.histories.get(this.kind); }
  get list() { return this.history.now; }
  get how() { return { mode: this.mode, kin: (a, b) => this.#kin(a, b), least: this.player.step / 2, end: this.end }; }
  get activeBoundary() { return nearest(boundaries(this.list), this.player.time); }
  get hint() { return this.narrow.matches ? "No labels yet" : this.deciding ? "Nothing decided yet"
    : "Play, press a label key, and passing frames get the label"; }
  lanesOf(kind, source) { return this.labelling.lanes.filter((lane) => lane.kind === kind && lane.source === source); }
  get proposals() { return this.lanesOf(this.kind, "machine"); }
  get people() { return this.lanesOf(this.kind, "person"); }
  keyOf(label) { const k = this.labels.indexOf(label); return label.key || (k < 9 ? String(k + 1) : ""); }
  labelForKey(key) { return this.labels.find((one) => one.key === key) ?? (/^[1-9]$/.test(key)
    ? this.labels[Number(key) - 1] : undefined); }
  #kin(a, b) { // is one a part of the other, at any depth?
    const parent = (name) => this.labels.find((one) => one.name === name)?.part_of,
      under = (name, whole) => {
        for (let up = parent(name), n = 0; up && n < 50; up = parent(up), n++) if (up === whole) return true;
        return false;
      };
    return under(a, b) || under(b, a);
  }

  async start() {
    const { el, view } = this;
    if (this.deciding) this.decision = new Decision(this, await readDraft(this));
    this.#openDrafts();
    drawBar(this);
    const at = (selector) => el.querySelector(selector);
    this.player = new Player(view, { stage: at(".lk-stage"), engine: this.state.get("engine") ?? "auto" });
    this.timeline = new Timeline(this.player, at(".lk-time"));
    this.player.addBoundaries(() =>
      this.list.length ? boundaries(this.list) : this.proposals.flatMap((lane) => boundaries(lane.segments)),
    );
    this.side = drawSide(this, at(".lk-side"));
    this.#lanes(); this.#hear();
    await this.player.open();
    this.between();
    this.#restore(); this.refresh();
    hearKeys(this);
    this.#plots();
    el.dataset.ready = "1"; performance.mark("annotate");
    this.#changePoints();
    return null;
  }
  #openDrafts() {
    const { labelling } = this,
      say = (draft) => {
        if (this.histories && draft.state === "saved" && !this.#stroke && draft.kind === this.kind)
          this.notes = draft.notes;
        if (this.ready) showState(this);
      };
    this.drafts = new Map(); this.histories = new Map();
    for (const kind of this.kinds) {
      const draft = new Draft({
        episode: labelling.episode,
        kind,
        author: this.author,
        own: labelling.own.find((one) => one.kind === kind),
        reaction: () => this.reaction,
        say,
      });
      this.drafts.set(kind, draft); this.histories.set(kind, new History(draft.list));
    }
    this.ready = true;
  }
  #lanes() {
    const { timeline } = this;
    for (const author of new Set(this.labelling.lanes.map((lane) => lane.author))) {
      const lane = () => this.labelling.lanes.find((one) => one.author === author && one.kind === this.kind),
        source = this.labelling.lanes.find((one) => one.author === author).source;
      const own = author === this.author && !this.deciding, decidedNow = source === "adjudicated" && this.deciding;
      if (own || decidedNow) continue;
      const letter = () =>
        this.deciding && author === this.a ? "A · " : this.deciding && author === this.b ? "B · " : "";
      timeline.addLane(
        readOnlyLane(this, {
          name: author,
          label: () => `${letter()}${author.replace(/^machine:/, "proposed: ")}`,
          segments: () => lane()?.segments ?? [],
          dashed: source === "machine",
        }),
      );
    }
    timeline.addLane(differencesLane(this)); timeline.addLane(changesLane(this)); timeline.addLane(ownLane(this));
  }
  async #changePoints() {
    const answer = await fetch(`/api/annotate/changes?episode=${encodeURIComponent(this.labelling.episode)}`).catch(
      () => null,
    );
    if (!answer?.ok) return;
    this.changes = (await answer.json()).filter((one) => one.at_s >= 0 && one.at_s <= this.end);
    this.el.dataset.changes = this.changes.length; this.timeline.redraw();
  }
  async #plots() { // a few signals that tell most about what the hand does
    const rank = (s) => { const k = TELLING.indexOf(s.kind); return k < 0 ? TELLING.length : k; };
    const usable = this.view.signals.filter((s) => s.rows > 1).sort((a, b) => rank(a) - rank(b) || a.number - b.number);
    let drawn = 0;
    for (const signal of usable) {
      if (drawn >= PLOTS) break;
      const read = await readSignal(this.view, signal).catch(() => null),
        columns = (read?.columns ?? []).filter((c) => c.hi > c.lo).slice(0, 12);
      if (!columns.length) continue;
      drawn += 1;
      this.timeline.addPlot({
        name: signal.name,
        unit: signal.unit,
        assumed: isAssumed(signal),
        height: PLOT,
        lines: columns.map((column, k) => ({
          name: column.name,
          times: read.times,
          column,
          colour: SERIES[k % SERIES.length],
        })),
      });
    }
  }

  #hear() {
    const { player, el } = this;
    player.on("play", () => { this.#played = player.time; showState(this); });
    player.on("pause", () => { this.#lift(); showState(this); });
    player.on("seek", () => {
      this.side.segment();
      this.side.labels();
      showState(this);
      this.timeline.redraw();
      this.save();
    });
    player.on("speed", () => { showState(this); this.save(); });
    player.on("loop", () => { showState(this); this.save(); });
    player.on("frame", ({ frame }) => this.#paintTo(frame));
    this.narrow.addEventListener("change", () => {
      delete el.querySelector('[data-panel="segment"] .body').dataset.shows;
      this.refresh();
    });
    addEventListener("pagehide", () => { this.#lift(); for (const draft of this.every) draft.retry(); });
    for (const what of ["online", "focus"])
      addEventListener(what, () => {
        for (const draft of this.every) draft.retry();
      });
  }

  // ---- labelling while it plays: the pen is down from a label's key until a pause, 0 or Esc
  #now() { const { player } = this; return player.playing ? this.onFrame(Math.max(this.#played,
    player.time - ((this.reaction ?? 0) / 1000) * player.speed)) : player.time; }
  onFrame(t) { const { player } = this, k = player.frameAt(t); return nearest([player.timeAt(k), player.times[k + 1]
    ?? this.end, this.end].filter((one) => one <= this.end + 1e-9), t); }
  label(name) {
    if (!this.mayEdit || !this.labels.some((one) => one.name === name)) return;
    if (this.player.playing) return this.#draw(name);
    const { list, player } = this, k = segmentAt(list, player.time);
    if (k >= 0) return this.edit((all) => change(all, k, { label: name }));
    const [from, to] = gapAt(list, player.time, this.end);
    this.edit((all) => paint(all, { label: name, start_s: from, end_s: to }, this.how));
  }
  #draw(name) {
    const from = this.#now(), old = this.#stroke;
    if (old) { this.#strokeTo(Math.max(old.from, from)); this.#close(); }
    this.pen = name; this.#stroke = { name, from, to: from, base: this.list };
    this.#strokeTo(this.onFrame(Math.min(this.end, this.player.time + this.player.step)));
    this.refresh();
  }
  #strokeTo(to) {
    const stroke = this.#stroke;
    stroke.to = to;
    this.history.show(
      stroke.name ? paint(stroke.base, { label: stroke.name, start_s: stroke.from, end_s: to }, this.how) : stroke.base,
    );
    this.timeline.redraw();
  }
  #paintTo(frame) {
    const { player } = this,
      stroke = this.#stroke;
    if (player.playing && player.timeAt(frame) < this.#played) this.#played = player.timeAt(frame);
    if (!stroke) return;
    if (player.timeAt(frame) < stroke.from) {
      this.#close();
      this.#played = player.timeAt(frame);
      this.#stroke = { name: this.pen, from: player.timeAt(frame), to: player.timeAt(frame), base: this.list };
      return;
    } // a loop began again
    this.#strokeTo(Math.min(this.end, player.times[frame + 1] ?? this.end));
    if (!(performance.now() - (this.kept ?? 0) < STROKE_MS)) {
      this.kept = performance.now();
      this.draft.change(this.list);
    }
  }
  #close() { const { base } = this.#stroke; this.#stroke = null; this.history.close(base); this.changed(); }
  #lift() { if (this.#stroke) this.#close(); this.pen = null; this.side.labels(); }
  lift() { this.#lift(); this.refresh(); }
  erase() { // 0: no label
    if (this.#stroke) return this.lift();
    const k = segmentAt(this.list, this.player.time);
    if (k >= 0) this.edit((list) => list.filter((_, n) => n !== k));
  }
  boundary() { // Enter: now, minus the reaction time while it plays; with the pen down the next label begins
    if (!this.mayEdit) return;
    if (this.#stroke) return this.#draw(this.#following(this.#stroke.name));
    const t = this.#now();
    this.edit(
      (list) => cut(list, t, this.#following(list.filter((one) => one.end_s <= t + 1e-6).at(-1)?.label), this.how),
      "A boundary is here already.",
    );
  }
  #following(name) { const k = this.labels.findIndex((one) => one.name === name); return this.labels[Math.min(k + 1,
    this.labels.length - 1)]?.name; }

  // ---- editing in place
  edit(make, nothing = "") {
    if (!this.mayEdit) return;
    if (this.#stroke) this.lift();
    if (this.history.do(make(this.list))) this.changed(); else if (nothing) this.tell(nothing);
  }
  nudge(direction) {
    const t = this.activeBoundary, { player } = this;
    if (t === null || !this.mayEdit) return;
    const k = player.frameAt(t + 1e-6) + direction, to = k >= player.frames ? this.end : player.timeAt(k);
    this.#moveTo(
      move(this.list, t, t >= this.end - 1e-6 && direction < 0 ? player.timeAt(player.frames - 1) : to, this.how),
    );
  }
  snap() {
    const t = this.activeBoundary;
    if (t === null || !this.mayEdit) return;
    const moved = snap(this.list, t, this.changes.map((one) => this.onFrame(one.at_s)), this.how);
    if (moved.none) this.tell("No change point lies between the neighbouring boundaries."); else this.#moveTo(moved);
  }
  #moveTo({ list, at }) { this.edit(() => list); this.player.pause(); this.player.seekTime(Math.min(at,
    this.player.timeAt(this.player.frames - 1))); }
  merge() { const k = segmentAt(this.list, this.player.time); if (k >= 0) this.edit((list) => mergeBack(list, k)); }
  accept(all) { if (all) acceptAll(this); else accept(this); }
  undo() { if (this.#stroke) this.lift(); if (this.mayEdit && this.history.undo()) this.changed(); }
  redo() { if (this.mayEdit && this.history.redo()) this.changed(); }
  loop() {
    const { player, list } = this, k = segmentAt(list, player.time);
    const around =
      k >= 0
        ? list[k]
        : this.proposals
            .flatMap((lane) => lane.segments)
            .find((one) => one.start_s <= player.time && player.time < one.end_s);
    player.loop = player.loop ? null : around ? [around.start_s, around.end_s] : [this.timeline.from, this.timeline.to];
  }
  changed() { this.notes = []; this.draft.change(this.list); this.refresh(); }
  refresh() {
    this.wrong = problems(this.list, { labels: this.labels.map((one) => one.name), end: this.end, mode: this.mode });
    this.side.all(); if (this.deciding) this.side.differences();
    showState(this); this.timeline.redraw();
  }
  tell(words, level = "") { this.said = { words, level }; showState(this); }

  // ---- result and object
  setVerdict(form, name) {
    const kind = name === "role" ? "object" : name,
      before = this.drafts.get(kind).list,
      label = kind === "object" ? form.get("role") : form.get(kind),
      identity = (form.get("object") ?? "").trim();
    const [first, ...more] = before, whole = { start_s: 0, end_s: this.end, ...first, label };
    const made =
      kind === "object"
        ? identity
          ? [{ ...whole, object: identity }, ...more]
          : more
        : label
          ? [whole, ...more]
          : more;
    this.histories.get(kind).do(made); this.drafts.get(kind).change(made); showState(this);
    if (this.kind === kind) this.refresh();
  }
  verdictState() { const states = this.verdictKinds.map((kind) => this.drafts.get(kind));
    return states.every((one) => !one.list.length) ? "" : states.every((one) => one.submitted || !one.list.length)
      ? "submitted" : "draft"; }

  // ---- kinds, people, submission
  choose(kind) {
    if (this.deciding || !this.kinds.includes(kind) || kind === this.kind) return;
    this.#lift();
    this.kind = kind;
    this.notes = this.drafts.get(kind).notes;
    this.said = null;
    this.refresh();
    this.save();
  }
  resolve(n) { const { draft } = this; this.history.do(draft.choose(n)); draft.change(this.list); this.refresh(); }
  get sends() {
    // the kind shown, and what the task or the result form left as a draft
    const task = this.labelling.tasks.flatMap((one) => one.kinds),
      also = this.kinds.filter(
        (kind) => kind !== this.kind && (task.includes(kind) || this.verdictKinds.includes(kind)),
      );
    const here = this.drafts.get(this.kind),
      // a task may ask for a kind that did not occur
      asked = here.list.length || here.revision || task.includes(this.kind);
    return [
      ...(asked ? [this.kind] : []),
      ...also.filter((kind) => {
        const one = this.drafts.get(kind);
        return one.list.length && (one.dirty || !one.submitted);
      }),
    ];
  }
  async submit() {
    if (this.submitting) return;
    this.#lift();
    const open = this.deciding ? this.differences.filter((one) => !this.isDecided(one)).length : 0;
    if (open && this.warned !== open) {
      this.warned = open;
      return void this.tell(
        `${open} ${open === 1 ? "difference is"
          : "differences are"} open: those spans would have no label. Decide again to go on all the same.`,
        "warn",
      );
    }
    if (!this.deciding && !this.sends.length) return void this.tell("There is nothing to submit yet.");
    this.submitting = true; this.said = null; showState(this);
    const failed = this.deciding ? await this.decision.submit() : await this.#submitKinds();
    this.submitting = false;
    if (failed) this.tell(failed, "bad");
    else {
      await this.#readAgain();
      this.tell(this.deciding ? "Decided. Releases now take these labels." : this.#whatIsLeft(), "done");
    }
  }
  #whatIsLeft() { const left = this.labelling.tasks.flatMap((task) => task.kinds).filter((kind) =>
    !this.drafts.get(kind)?.submitted); return left.length
      ? `Submitted. Your task still asks for: ${[...new Set(left)].join(", ")}.` : "Submitted."; }
  async #submitKinds() {
    for (const kind of this.sends)
      if (!(await this.drafts.get(kind).submit())) {
        if (kind !== this.kind) this.choose(kind);
        return this.drafts.get(kind).words || "Not submitted.";
      }
    return "";
  }
  async #readAgain() { // what was hidden until now may be shown
    const answer = await fetch(
      `/api/annotate/labels?${new URLSearchParams({ episode: this.labelling.episode, author: this.author })}`,
    ).catch(() => null);
    if (!answer?.ok) return;
    const known = new Set(this.labelling.lanes.map((lane) => lane.author)), now = await answer.json();
    Object.assign(this.labelling, { lanes: now.lanes, hidden: now.hidden, tasks: now.tasks });
    for (const lane of now.lanes)
      if (!known.has(lane.author) && lane.author !== this.author && (known.add(lane.author), true))
        this.timeline.addLane(
          readOnlyLane(this, {
            name: lane.author,
            label: lane.author.replace(/^machine:/, "proposed: "),
            segments: () =>
              this.labelling.lanes.find((one) => one.author === lane.author && one.kind === this.kind)?.segments ?? [],
            dashed: lane.source === "machine",
          }),
          { before: "differences" },
        );
    this.refresh();
  }
  async next() {
    const { ok, body } = await post("/api/annotate/next", {});
    if (ok && body.task) location.href = `/annotate/${encodeURIComponent(body.task.episode)}`;
    else
      this.tell(
        ok ? (body.reason ?? "Nothing is open for you.") : (body.detail ?? "The server does not answer."),
        ok ? "" : "bad",
      );
  }
  async measure() {
    this.player.pause();
    const ms = await measureReaction(this.el);
    if (ms !== null) {
      this.reaction = ms;
      keepReaction(this.author, ms);
      this.tell(`Your reaction time is ${ms} ms. Boundaries set while playing are moved back by it.`);
    }
  }
  between(which, author) { if (which) this[which] = author; if (this.deciding) this.decision.compare();
    if (which) { this.refresh(); this.save(); } }
  isDecided(one) { return this.deciding ? this.decision.covers(one) : false; }
  describe(one) { return this.decision?.describe(one) ?? ""; }
  goTo(one) { // the first frame inside it, for its boundary may lie between two frames
    const { player } = this, k = player.frameAt(one.from + 1e-6);
    const inside = player.timeAt(k) < one.from - 1e-6 && k + 1 < player.frames && player.timeAt(k + 1) < one.to - 1e-6;
    this.difference = one; player.pause(); player.seek(inside ? k + 1 : k);
    this.side.differences(); this.timeline.redraw();
  }
  nextDifference(direction) {
    const t = this.player.time,
      all = this.differences,
      k = this.difference
        ? all.indexOf(this.difference) + direction
        : direction > 0
          ? all.findIndex((one) => one.from >= t - 1e-6)
          : all.findLastIndex((one) => one.from < t);
    if (all[k]) this.goTo(all[k]);
  }
  takeFrom(letter, all) { if (this.deciding) this.decision.take(letter, all); }

  #restore() {
    const { state, player } = this,
      pair = (key) => {
        const [a, b] = (state.get(key) ?? "").split("-").map(Number);
        return b > a ? [a, b] : null;
      };
    if (state.get("speed")) player.speed = Number(state.get("speed")) || 1;
    if (pair("loop")) player.loop = pair("loop");
    if (pair("zoom")) this.timeline.zoom(...pair("zoom"));
    if (state.get("f")) player.seek(Number(state.get("f"))); else player.seekTime(Number(state.get("at")) || 0);
    this.restored = true;
  }
  save() { // the whole state is in the address
    if (!this.restored) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const q = new URLSearchParams(location.search),
        { player, timeline } = this,
        put = (key, value) => (value == null || value === "" ? q.delete(key) : q.set(key, value));
      q.delete("at");
      put("f", player.frame || null);
      put("speed", player.speed === 1 ? null : player.speed);
      put("kind", this.deciding ? null : this.kind);
      put("loop", player.loop?.map((t) => t.toFixed(3)).join("-"));
      if (this.deciding) { put("a", this.a); put("b", this.b); }
      put(
        "zoom",
        timeline.to - timeline.from < player.duration - 1e-6
          ? `${timeline.from.toFixed(2)}-${timeline.to.toFixed(2)}`
          : null,
      );
      history.replaceState(history.state, "", `${location.pathname}?${q}`);
    }, 250);
  }
}
