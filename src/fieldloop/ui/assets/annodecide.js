// Deciding between two people, and taking over proposals. A decision is kept in this browser until it is handed in.
import { agreed, clear, differences, equal, History, paint, paintAll, sort, take, write } from "./annosegments.js";
import { post } from "./annosave.js";

export const deciding = (editor) => { const asked = editor.labelling.tasks.find((task) => ["adjudicate", "suspect"].includes(task.reason)), kind = editor.state.get("decide") ?? (editor.state.has("kind") ? "" : asked?.kinds[0]); return editor.labelling.lead && editor.kinds.includes(kind) ? kind : ""; };
const own = ({ label, start_s, end_s, object, values, blob, verified_by, error, error_unit }) => ({ label, start_s, end_s, object, values, blob, verified_by, error, error_unit });

export function accept(editor) { // the proposal at the playhead
  const t = editor.player.time, one = editor.proposals.flatMap((lane) => lane.segments).find((each) => each.start_s <= t + 1e-6 && t + 1e-6 < each.end_s);
  if (!one) return editor.tell("No proposal at the playhead.");
  editor.edit((list) => paint(list, own(one), editor.how), "The lane has this segment already.");
}
export function acceptAll(editor) {
  const all = (editor.proposals[0]?.segments ?? []).map(own);
  if (!all.length) return editor.tell(`Nothing of the kind ${editor.kind} was proposed.`);
  editor.edit((list) => paintAll(list, all, editor.how), "The lane has these segments already.");
}

export class Decision {
  state = "saved"; words = ""; notes = []; choices = []; submitted = false; revision = 0;
  constructor(editor) {
    this.editor = editor;
    this.key = `fieldloop.decision/${editor.labelling.episode}/${editor.author}/${editor.deciding}`;
    const people = editor.labelling.lanes.filter((lane) => lane.kind === editor.deciding && lane.source === "person").map((lane) => lane.author), asked = (key) => people.find((one) => one === editor.state.get(key));
    editor.a = asked("a") ?? people[0] ?? ""; editor.b = asked("b") ?? people.find((one) => one !== editor.a) ?? "";
    this.history = new History(this.#read() ?? this.#begin());
  }
  #read() { try { const kept = JSON.parse(localStorage.getItem(this.key)); return Array.isArray(kept) ? kept : null; } catch { return null; } }
  #find(author) { return this.editor.labelling.lanes.find((lane) => lane.kind === this.editor.deciding && lane.author === author); }
  #lane(author) { return this.#find(author)?.segments ?? []; }
  get a() { return this.#lane(this.editor.a); }
  get b() { return this.#lane(this.editor.b); }
  #begin() { // what was decided before, else what both state
    const before = this.editor.labelling.lanes.find((lane) => lane.kind === this.editor.deciding && lane.source === "adjudicated");
    return (before?.segments.length ? before.segments : agreed(this.a, this.b)).map(own);
  }
  get list() { return this.history.now; }
  get dirty() { return true; }
  change(list) { try { localStorage.setItem(this.key, JSON.stringify(sort(list))); this.state = "local"; } catch { this.state = "unkept"; } }
  retry() {}
  compare() { this.editor.differences = differences(this.a, this.b, this.editor.player.step / 2); }
  covers(one) { // a difference is decided once the lane states one of both, or something else, all along
    const inside = clear(this.list, -1, one.from).filter((segment) => segment.start_s < one.to - 1e-6);
    const length = inside.reduce((sum, segment) => sum + Math.min(segment.end_s, one.to) - Math.max(segment.start_s, one.from), 0);
    return length >= one.to - one.from - 1e-6 || (this.taken ??= new Set()).has(one);
  }
  describe(one) {
    const frames = Math.round((one.to - one.from) / this.editor.player.step), length = frames === 1 ? "1 frame" : `${frames} frames`;
    return `A ${one.a || "nothing"}, B ${one.b || "nothing"}: ${length}`;
  }
  take(letter, all) {
    const { editor } = this, source = (letter === "a" ? this.a : this.b).map(own);
    if (all) return editor.edit(() => source, "These labels are taken already.");
    const t = editor.player.time, one = editor.differences.find((each) => each.from <= t + 1e-6 && t + 1e-6 < each.to) ?? editor.difference;
    if (!one) return editor.tell("No difference at the playhead. n goes to the next one.");
    (this.taken ??= new Set()).add(one);
    editor.difference = one;
    editor.edit((list) => take(list, source, one.from, one.to));
    editor.refresh();
  }
  async submit() {
    const { editor } = this, whole = [[editor.a, this.a], [editor.b, this.b]].find(([, lane]) => lane.length && equal(lane.map(own), this.list));
    const { ok, body } = await post("/api/annotate/adjudicate", { episode: editor.labelling.episode, kind: editor.deciding, comment: editor.comment, ...(whole ? { take: whole[0], seen: this.#find(whole[0])?.seen ?? "" } : { segments_text: write(this.list) }) });
    if (!ok) return body.detail ?? "The server does not answer. The decision is kept in this browser.";
    try { localStorage.removeItem(this.key); } catch { /* nothing was kept */ }
    this.state = "saved"; this.submitted = true;
    return "";
  }
}
