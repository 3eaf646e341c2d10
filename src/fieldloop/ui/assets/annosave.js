// Keeps a lane of labels: at once in this browser, then on the server as the next revision. Nothing is overwritten
// unasked.
//   const draft = new Draft({ episode, kind, author, own, reaction, say });  draft.change(list) · .submit() ·
// .choose(n)
// States: saved, unsaved, saving, offline, signedout, refused, conflict. `say(draft)` is called whenever one changes.
import { equal, write, sort } from "./annosegments.js";

const WAIT_MS = 700, AGAIN_MS = 4000, PREFIX = "fieldloop.labels/";
const tab = (() => {
  try {
    return (sessionStorage.fieldloopTab ??= Math.random().toString(36).slice(2, 10));
  } catch {
    return "one";
  }
})();
const store = { // a browser that keeps nothing still saves to the server
  put(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); return true; } catch { return false; } },
  get(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
  drop(key) { try { localStorage.removeItem(key); } catch { /* nothing was kept */ } },
  keys(prefix) { try { return Object.keys(localStorage).filter((key) => key.startsWith(prefix)); } catch { return [];
    } },
};

export async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: JSON.stringify(body).length < 60000,
  }).catch(() => null);
  return { status: answer?.status ?? 0, ok: Boolean(answer?.ok), body: (await answer?.json().catch(() => null)) ?? {} };
}

// Where a draft is kept: a person's labels under the name by which the page was opened, or the draft of a decision.
const labels = {
  save: (labelled, { author }, more) => ["/api/annotate/save", { ...labelled, author, ...more }],
  address: ({ episode, author }) => `/api/annotate/labels?${new URLSearchParams({ episode, author })}`,
  find: (answer, { kind }) => answer.own.find((one) => one.kind === kind),
};
export const decisions = {
  save: (labelled) => ["/api/annotate/draft", labelled],
  address: ({ episode, kind }) => `/api/annotate/decision?${new URLSearchParams({ episode, kind })}`,
  find: (answer) => answer,
};

export class Draft {
  state = "saved"; words = ""; choices = []; notes = []; #left = []; #timer = 0; #busy = null; #again = false;
  constructor({ episode, kind, author, own, start, to = labels, reaction = () => null, say = () => {} }) {
    Object.assign(this, { episode, kind, author, to, reaction, say });
    this.#adopt(own);
    this.list = sort(start ?? own?.segments ?? []);
    this.prefix = `${PREFIX}${episode}/${author}/${kind}/`;
    this.key = this.prefix + tab;
    this.#restore(own);
  }
  #adopt(own) { this.revision = own?.revision ?? 0; this.submitted = own?.submitted ?? false;
    this.kept = sort(own?.segments ?? []); this.savedAt = own?.saved ?? null; }

  #restore(own) { // what this browser kept and the server has not
    const found = store
      .keys(this.prefix)
      .map((key) => ({ key, ...store.get(key) }))
      .filter((one) => Array.isArray(one.list));
    for (const one of found) if (equal(one.list, this.kept)) store.drop(one.key);
    const open = found.filter((one) => !equal(one.list, this.kept)).sort((a, b) => b.at - a.at);
    if (!open.length) return;
    if (open.length === 1 && !open[0].aside && open[0].revision === this.revision) {
      this.list = sort(open[0].list);
      this.restored = true;
      this.#moveKey(open[0].key);
      this.#set("unsaved");
      this.#schedule(0);
    } else
      this.#conflict(
        own,
        open.map((one) => ({ name: `kept in this browser ${clock(one.at)}`, list: sort(one.list), key: one.key })),
      );
  }
  #moveKey(key) { this.#keep(); if (key !== this.key) store.drop(key); }
  #keep() { this.safe = store.put(this.key, { list: this.list, revision: this.revision, at: Date.now() }); }
  #set(state, words = "") { this.state = state; this.words = words; this.say(this); }

  change(list, { wait = WAIT_MS } = {}) {
    this.list = sort(list); this.submittedNow = false;
    if (this.state === "conflict") { this.choices[0].list = this.list; this.#keep(); return this.say(this); }
    if (!this.unsent) { store.drop(this.key); return this.#set("saved"); }
    this.#keep();
    if (this.state !== "saving")
      this.#set(this.state === "signedout" || this.state === "offline" ? this.state : "unsaved", this.words);
    this.#schedule(wait);
  }
  #known = {};
  get dirty() { // asked at every frame: computed once for each pair of lists
    if (this.#known.list !== this.list || this.#known.kept !== this.kept)
      this.#known = { list: this.list, kept: this.kept, dirty: !equal(this.list, this.kept) };
    return this.#known.dirty;
  }
  get unsent() { return this.dirty || this.#left.length > 0; }
  #schedule(ms) { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.save(), ms); }

  async save({ submit = false } = {}) {
    clearTimeout(this.#timer);
    if (this.state === "conflict") return false;
    if (this.#busy) {
      this.#again = true;
      await this.#busy;
      return submit ? this.save({ submit }) : this.state === "saved";
    }
    if (!submit && !this.unsent) { this.#set("saved"); return true; }
    this.#busy = this.#send(submit);
    const done = await this.#busy;
    this.#busy = null;
    if (this.#again) { this.#again = false; if (done && this.unsent) this.#schedule(0); }
    return done;
  }
  async submit() { // the draft first, so that a refusal loses nothing
    if (this.unsent && !(await this.save())) return false;
    return this.save({ submit: true });
  }
  async #send(submit) {
    this.#set("saving");
    while (this.#left.length) { // lists that were not chosen become revisions first, so that none is lost
      const [one] = this.#left, { ok, status, body } = await this.#post(one.list, false);
      if (!ok) return this.#failed(status, body);
      this.#left.shift(); store.drop(one.key);
      this.revision = body.revision; this.submitted = body.submitted; this.kept = sort(one.list);
    }
    if (!submit && !this.dirty) { store.drop(this.key); this.#set("saved"); return true; }
    const sent = this.list, { ok, status, body } = await this.#post(sent, submit);
    if (!ok) return this.#failed(status, body);
    this.revision = body.revision;
    this.submitted = body.submitted;
    this.notes = body.problems ?? [];
    this.kept = sort(sent);
    this.savedAt = Date.now();
    if (equal(this.list, sent)) store.drop(this.key); else this.#keep();
    this.#set(this.dirty ? "unsaved" : "saved");
    if (this.dirty) this.#schedule(WAIT_MS);
    return true;
  }
  #post(list, submit) { // under the name this page was opened by: another login in this browser is refused
    const reaction = this.reaction();
    const labelled = { episode: this.episode, kind: this.kind, segments_text: write(list), revision: this.revision };
    return post(...this.to.save(labelled, this, { submit, ...(reaction === null ? {} : { reaction_ms: reaction }) }));
  }
  #failed(status, body) {
    if (status === 409 && body.title === "ChangedMeanwhile") return this.#changed();
    if (status === 401) { this.#set("signedout", "You are signed out."); this.#schedule(AGAIN_MS); return false; }
    if (status === 0 || status >= 500) {
      this.#set("offline", status ? body.detail : "The server does not answer.");
      this.#schedule(AGAIN_MS);
      return false;
    }
    this.#set("refused", body.detail ?? `The server answered ${status}.`);
    return false;
  }
  async #changed() { // a later revision exists: the same labels are adopted, others are shown
    const answer = await fetch(this.to.address(this)).catch(() => null);
    if (!answer?.ok) {
      this.#set("offline", "The later revision cannot be read.");
      this.#schedule(AGAIN_MS);
      return false;
    }
    const own = this.to.find(await answer.json(), this);
    if (equal(own?.segments ?? [], this.list)) {
      this.#adopt(own);
      store.drop(this.key);
      this.#set("saved");
      if (this.#left.length) this.#schedule(0);
      return true;
    }
    this.#conflict(own, [{ name: "this page", list: this.list, key: this.key }]);
    return false;
  }
  #conflict(own, mine) {
    this.theirs = own ?? { revision: 0, segments: [], submitted: false };
    if (mine[0]) this.list = mine[0].list;
    this.choices = [
      ...mine,
      { name: `saved elsewhere, revision ${this.theirs.revision}`, list: sort(this.theirs.segments), theirs: true },
    ];
    this.#set(
      "conflict",
      `Another page saved revision ${this.theirs.revision}. Choose which labels go on; ` +
        "the others are saved as earlier revisions.",
    );
  }
  // the others become revisions first; until the server has them, this browser keeps each under a key of its own
  choose(n) {
    const chosen = this.choices[n], others = this.choices.filter((one) => one.key && one !== chosen);
    this.#adopt(this.theirs);
    const known = [this.kept, chosen.list, ...this.#left.map((one) => one.list)];
    const moved = others
      .filter((one) => !known.some((list) => equal(list, one.list)))
      .map((one, k) => ({ list: one.list, key: `${this.prefix}${tab}-${Date.now()}-${k}` }));
    const safe = moved.every((one) =>
      store.put(one.key, { list: one.list, revision: this.revision, at: Date.now(), aside: true }),
    );
    this.#left.push(...moved);
    if (safe) for (const one of this.choices) if (one.key) store.drop(one.key);
    this.choices = []; this.state = "saved"; this.list = chosen.list;
    if (this.unsent) { this.#keep(); this.#set("unsaved"); this.#schedule(0); } else this.#set("saved");
    return this.list;
  }
  // nothing is sent after it
  async settle() { clearTimeout(this.#timer); while (this.#busy) await this.#busy; clearTimeout(this.#timer); }
  drop() { store.drop(this.key); this.kept = this.list; this.#set("saved"); }
  retry() { if (["offline", "signedout", "unsaved"].includes(this.state)) this.save(); }
}

export const clock = (at) => new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
