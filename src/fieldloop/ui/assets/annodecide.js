// Deciding between two people, and taking over proposals. A draft of the decision is kept on the server, for any lead.
import { agreed, clear, differences, equal, History, paint, paintAll, take, write } from "./annosegments.js";
import { showState } from "./annobar.js";
import { decisions, Draft, post } from "./annosave.js";

export const deciding = (editor) => {
  const asked = editor.labelling.tasks.find((task) => ["adjudicate", "suspect"].includes(task.reason)),
    kind = editor.state.get("decide") ?? (editor.state.has("kind") ? "" : asked?.kinds[0]);
  return editor.labelling.lead && editor.kinds.includes(kind) ? kind : "";
};
const own = ({ label, start_s, end_s, object, values, blob, verified_by, error, error_unit }) => ({
  label,
  start_s,
  end_s,
  object,
  values,
  blob,
  verified_by,
  error,
  error_unit,
});

export async function readDraft(editor) { // null where the server does not answer: then this browser keeps the draft
  const asked = { episode: editor.labelling.episode, kind: editor.deciding };
  const answer = await fetch(decisions.address(asked)).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

export function accept(editor) { // the proposal at the playhead
  const t = editor.player.time,
    one = editor.proposals
      .flatMap((lane) => lane.segments)
      .find((each) => each.start_s <= t + 1e-6 && t + 1e-6 < each.end_s);
  if (!one) return editor.tell("No proposal at the playhead.");
  editor.edit((list) => paint(list, own(one), editor.how), "The lane has this segment already.");
}
export function acceptAll(editor) {
  const all = (editor.proposals[0]?.segments ?? []).map(own);
  if (!all.length) return editor.tell(`Nothing of the kind ${editor.kind} was proposed.`);
  editor.edit((list) => paintAll(list, all, editor.how), "The lane has these segments already.");
}

export class Decision {
  submitted = false; taken = new Set();
  constructor(editor, draft) { // `draft`: what leads drew so far, as the server keeps it
    this.editor = editor;
    const { episode, lanes } = editor.labelling, asked = (key) => people.find((one) => one === editor.state.get(key));
    const people = lanes
      .filter((lane) => lane.kind === editor.deciding && lane.source === "person")
      .map((lane) => lane.author);
    editor.a = asked("a") ?? people[0] ?? ""; editor.b = asked("b") ?? people.find((one) => one !== editor.a) ?? "";
    const own = draft && { ...draft, saved: draft.open ? draft.saved : null };
    this.keeper = new Draft({
      episode, kind: editor.deciding, author: "adjudicated", own, to: decisions,
      start: draft?.open ? undefined : this.#begin(), say: () => editor.ready && showState(editor),
    });
    this.history = new History(this.keeper.list);
  }
  #find(author) { return this.editor.labelling.lanes.find((lane) => lane.kind === this.editor.deciding
    && lane.author === author); }
  #lane(author) { return this.#find(author)?.segments ?? []; }
  get a() { return this.#lane(this.editor.a); }
  get b() { return this.#lane(this.editor.b); }
  #begin() { // what was decided before, else what both state
    const before = this.editor.labelling.lanes.find(
      (lane) => lane.kind === this.editor.deciding && lane.source === "adjudicated",
    );
    return (before?.segments.length ? before.segments : agreed(this.a, this.b)).map(own);
  }
  get list() { return this.history.now; }
  get dirty() { return true; }
  get state() { return this.keeper.state; }
  get words() { return this.keeper.words; }
  get notes() { return this.keeper.notes; }
  get choices() { return this.keeper.choices; }
  get revision() { return this.keeper.savedAt ? this.keeper.revision : 0; }
  get savedAt() { return this.keeper.savedAt; }
  change(list) { this.submitted = false; this.keeper.change(list); }
  choose(n) { return this.keeper.choose(n); }
  retry() { this.keeper.retry(); }
  compare() { // other people make other differences, so none is selected yet
    this.editor.differences = differences(this.a, this.b, this.editor.player.step / 2);
    this.editor.difference = null;
    this.taken = new Set();
  }
  covers(one) { // a difference is decided once the lane states one of both, or something else, all along
    const inside = clear(this.list, -1, one.from).filter((segment) => segment.start_s < one.to - 1e-6);
    const length = inside.reduce(
      (sum, segment) => sum + Math.min(segment.end_s, one.to) - Math.max(segment.start_s, one.from),
      0,
    );
    return length >= one.to - one.from - 1e-6 || this.taken.has(one);
  }
  describe(one) {
    const frames = Math.round((one.to - one.from) / this.editor.player.step),
      length = frames === 1 ? "1 frame" : `${frames} frames`;
    return `A ${one.a || "nothing"}, B ${one.b || "nothing"}: ${length}`;
  }
  take(letter, all) { // at the selected difference, wherever the playhead is
    const { editor } = this, source = (letter === "a" ? this.a : this.b).map(own);
    if (all) {
      this.taken = new Set(editor.differences); // also those where that person drew nothing
      editor.edit(() => source, "These labels are taken already.");
      return editor.refresh();
    }
    const one = editor.difference ?? this.#openAtPlayhead();
    if (!one) return editor.tell("No difference is selected. n goes to the next one.");
    this.taken.add(one);
    editor.difference = one;
    editor.edit((list) => take(list, source, one.from, one.to));
    editor.refresh();
  }
  #openAtPlayhead() { // a decided one is overturned only where it was selected
    const t = this.editor.player.time + 1e-6;
    return this.editor.differences.find((one) => one.from <= t && t < one.to && !this.covers(one));
  }
  async submit() {
    const { editor, keeper } = this;
    await keeper.settle(); // a draft that is saved after the decision would be taken for a new one
    const whole = [
      [editor.a, this.a],
      [editor.b, this.b],
    ].find(([, lane]) => lane.length && equal(lane.map(own), this.list));
    const labels = whole
      ? { take: whole[0], seen: this.#find(whole[0])?.seen ?? "" }
      : { segments_text: write(this.list) };
    const asked = { episode: editor.labelling.episode, kind: editor.deciding, comment: editor.comment };
    const { ok, body } = await post("/api/annotate/adjudicate", { ...asked, ...labels });
    if (!ok) {
      keeper.retry();
      return body.detail ?? "The server does not answer. The decision is kept in this browser.";
    }
    this.submitted = true;
    keeper.drop();
    return "";
  }
}
