// The bar of the annotation page: transport, kinds, the mark of saving, what the server refuses, and the list of keys.
import { SPEEDS } from "./player.js";
import { clock } from "./annosave.js";
import { text } from "./marks.js";

const ICON = {
  back: '<path d="M10 2v10L4 7z"/><path d="M2.5 2H4v10H2.5z"/>',
  play: '<path d="M3 1.5v11l9-5.5z"/>',
  pause: '<path d="M3 2h3v10H3zM8 2h3v10H8z"/>',
  on: '<path d="M4 2v10l6-5z"/><path d="M10 2h1.5v10H10z"/>',
};
const icon = (name) =>
  `<svg viewBox="0 0 14 14" width="14" height="14" fill="currentColor" aria-hidden="true">${ICON[name]}</svg>`;
const MARK = {
  good:
    '<circle cx="7" cy="7" r="6"/>' +
    '<path d="M4 7.2 6.2 9.4 10 5" fill="none" stroke="var(--surface)" stroke-width="1.6"/>',
  run: '<circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="8 4"/>',
  warn: '<path d="M7 1l6.5 12H.5Z"/>',
  bad: '<path d="M4 .5h6L13.5 4v6L10 13.5H4L.5 10V4Z"/>',
};
const mark = (level) =>
  `<svg class="${level}" viewBox="0 0 14 14" width="12" height="12" fill="currentColor"
    aria-hidden="true">${MARK[level]}</svg>`;
export const KEYS = [
  ["1 … 9", "label: while playing, passing frames get it; paused, the segment or the gap at the playhead. A key of " +
    "the taxonomy does the same"],
  ["Enter", "boundary now, while playing minus your reaction time; while labelling the next label begins"],
  ["0 Esc", "stop labelling; paused, 0 removes the segment"],
  ["[ ]", "previous, next boundary"], ["{ }", "move the nearest boundary by a frame"],
    ["s", "snap the nearest boundary to a change point"], ["Delete", "merge into the segment before"],
      ["a A", "accept the proposal here, all proposals"],
  ["l", "loop the segment (L where l is a label)"], ["Space", "play, pause"],
    [", .", "one frame back, on (← →, with Shift ten)"], ["- =", "slower, faster"],
      ["k K", "next, previous kind of labels"], ["z Z", "zoom in, show all"],
  ["Ctrl+Z Ctrl+Shift+Z", "undo, redo"], ["Ctrl+Enter", "submit"],
];
export const DECIDE_KEYS = [
  ["n N", "next, previous difference"],
  ["a b", "take A, B at the difference"],
  ["A B", "take all of A, B"],
  ["Ctrl+Enter", "decide"],
];
const listKeys = (keys) =>
  keys
    .map(
      ([names, what]) =>
        `<dt>${names
          .split(" ")
          .map((k) => `<kbd>${text(k)}</kbd>`)
          .join(" ")}</dt><dd>${what}</dd>`,
    )
    .join("");

export function drawBar(editor) {
  const { el } = editor,
    button = (name, words, title, kind = "ghost") =>
      `<button class="btn ${kind}" type="button" data-do="${name}" title="${title}">${words}</button>`;
  el.classList.add("lk", "an");
  el.innerHTML = `<div class="lk-main"><div class="lk-stage" aria-label="Cameras"></div><section
    class="panel lk-panel"><div class="lk-bar">
      <button class="btn icon ghost" data-do="back" title="One frame back (,)"
        aria-label="One frame back">${icon("back")}</button><button class="btn icon" data-do="play"
          title="Play or pause (Space)" aria-label="Play">${icon("play")}</button><button class="btn icon ghost"
            data-do="on" title="One frame on (.)" aria-label="One frame on">${icon("on")}</button>
      <span class="lk-clock" aria-live="off"></span><label class="lk-speed"><span class="sr">Speed</span><select
        aria-label="Speed">${SPEEDS.map((s) => `<option value="${s}">${s} ×</option>`).join("")}</select></label>
      ${button("loop", "Loop", "Loop the segment at the playhead (l)")}
      <span class="an-pen" hidden></span><span class="fill"></span><span class="an-mark" role="status"></span><a
        class="btn ghost wide"
          href="/episodes/${encodeURIComponent(editor.labelling.episode)}">Episode</a>${button("keys", "Keys",
            "Keys (?)")}${button("submit", "Submit", "Submit (Ctrl+Enter)", "primary")}</div>
    <div class="an-tools"><div class="an-kinds" role="toolbar" aria-label="Kind of labels"></div><span
      class="an-edit">${button("undo", "Undo", "Undo (Ctrl+Z)")}${button("redo", "Redo",
        "Redo (Ctrl+Shift+Z)")}${editor.deciding ? "" : button("accept", "Accept all",
          "Accept all proposals of this kind (A)")}${button("reaction", "",
            "Measure my reaction time")}</span></div><div class="an-said"></div><div
              class="lk-time"></div></section></div>
    <aside class="lk-side an-side"></aside>
    <dialog class="keys lk-keys" aria-label="Keys"><dl class="kv">${listKeys(editor.deciding ? [...DECIDE_KEYS,
      ...KEYS.filter(([k]) => !["a A", "Ctrl+Enter", "k K"].includes(k))] : KEYS)}</dl><form method="dialog"><button
        class="btn">Close</button></form></dialog>`;
  const actions = {
    back: () => editor.player.stepBy(-1),
    play: () => editor.player.toggle(),
    on: () => editor.player.stepBy(1),
    loop: () => editor.loop(),
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    accept: () => editor.accept(true),
    reaction: () => editor.measure(),
    submit: () => editor.submit(),
    next: () => editor.next(),
    keys: () => el.querySelector(".lk-keys").showModal(),
    retry: () => editor.draft.save(),
  };
  el.addEventListener("click", (event) => {
    const done = event.target.closest("[data-do]"),
      kind = event.target.closest("[data-kind-of]"),
      choice = event.target.closest("[data-choice]");
    if (done) { actions[done.dataset.do]?.(); if (done.dataset.do !== "keys") done.blur(); }
    if (kind) { editor.choose(kind.dataset.kindOf); kind.blur(); }
    if (choice) editor.resolve(Number(choice.dataset.choice));
  });
  const select = el.querySelector(".lk-speed select");
  select.addEventListener("change", () => { editor.player.speed = Number(select.value); select.blur(); });
}

const put = (el, html) => { if (el.shown !== html) { el.innerHTML = html; el.shown = html; } };
export function showState(editor) {
  const { el, player } = editor;
  if (!player) return;
  const at = (selector) => el.querySelector(selector), digits = String(player.frames - 1).length, draft = editor.draft;
  put(
    at(".lk-clock"),
    `<b>${String(player.frame).padStart(digits, "0")}</b><span> / ${player.frames -
      1}</span><em>${player.time.toFixed(3)} s</em>`,
  );
  const select = at(".lk-speed select");
  if (![...select.options].some((one) => Number(one.value) === player.speed))
    select.add(new Option(`${player.speed} ×`, player.speed));
  select.value = String(player.speed);
  put(at('[data-do="play"]'), icon(player.playing ? "pause" : "play"));
  at('[data-do="play"]').setAttribute("aria-label", player.playing ? "Pause" : "Play");
  at('[data-do="loop"]').setAttribute("aria-pressed", Boolean(player.loop));
  put(at('[data-do="reaction"]'), editor.reaction === null ? "Measure reaction" : `Reaction ${editor.reaction} ms`);
  at(".an-pen").hidden = !editor.pen; put(at(".an-pen"), editor.pen ? `<i></i>labelling ${text(editor.pen)}` : "");
  const sends = editor.deciding ? [] : editor.sends;
  Object.assign(at('[data-do="submit"]'), {
    disabled: Boolean(editor.submitting),
    textContent: editor.deciding ? "Decide" : sends.length > 1 ? `Submit ${sends.length} kinds` : "Submit",
    title: editor.deciding ? "Decide (Ctrl+Enter)" : `Submit ${sends.join(", ")} (Ctrl+Enter)`,
  });
  el.dataset.save = draft.state;
  put(at(".an-mark"), drawMark(editor, draft));
  put(at(".an-kinds"), drawKinds(editor));
  put(at(".an-said"), drawSaid(editor, draft));
}

function drawMark(editor, draft) {
  const all = [...editor.drafts.values()],
    worst = editor.deciding
      ? draft
      : (["conflict", "refused", "signedout", "offline", "saving", "unsaved"]
          .map((state) => all.find((one) => one.state === state))
          .find(Boolean) ?? draft);
  const shown = { saved: ["good", editor.deciding && draft.submitted ? "Decided" : draft.revision
    ? `Saved${draft.savedAt ? ` ${clock(draft.savedAt)}` : ""}${draft.submitted ? ", submitted" : ", draft"}`
      : editor.deciding ? "Not decided yet" : "Nothing to save yet"], unsaved: ["run", "Not saved yet"],
        saving: ["run", "Saving …"], offline: ["warn", "Not saved: no answer"], signedout: ["warn",
          "Not saved: signed out"], refused: ["bad", "Not saved"], conflict: ["bad", "Conflict"] }[worst.state];
  if (editor.deciding && worst.state === "saved" && !draft.submitted) shown[0] = "run";
  return `${mark(shown[0])}<span>${shown[1]}${worst !== draft ? ` (${text(worst.kind)})` : ""}</span>`;
}
function drawKinds(editor) {
  if (editor.deciding) return `<b>Decide: ${text(editor.deciding)}</b>`;
  const hidden = new Set(editor.labelling.hidden), task = new Set(editor.labelling.tasks.flatMap((one) => one.kinds));
  const chips = editor.kinds
    .map((kind) => {
      const draft = editor.drafts.get(kind),
        count = draft.list.length;
      return `<button type="button" class="chip" data-kind-of="${text(kind)}" aria-pressed="${kind === editor.kind}"
        title="${draft.submitted ? "submitted" : count ? "draft" : "no labels"}">${text(kind)}${task.has(kind) ? " ★"
          : ""}${count ? ` <b>${count}</b>${draft.submitted && !draft.dirty ? " ✓" : ""}` : ""}</button>`;
    })
    .join("");
  const decide =
    editor.labelling.lead && editor.people.length
      ? `<a class="btn ghost" href="?decide=${encodeURIComponent(editor.kind)}">Decide ${text(editor.kind)}</a>`
      : "";
  return `${chips}${hidden.has(editor.kind)
    ? '<span class="dim">Labels of others and proposals are shown after you submit yours.</span>' : ""}${decide}`;
}
function drawSaid(editor, draft) {
  const lines = [],
    line = (level, words, more = "") =>
      lines.push(
        `<p class="${level}" role="${level === "bad" ? "alert" : "status"}">${level ? mark(level)
          : ""}<span>${words}</span>${more}</p>`,
      );
  for (const one of editor.every)
    if (one.state === "signedout") {
      line(
        "warn",
        "You are signed out. Your labels are kept in this browser and are sent as soon as you are signed in.",
        `<a class="btn" target="_blank" href="/login?to=${encodeURIComponent(location.pathname)}">Sign in</a>`,
      );
      break;
    }
  if (draft.state === "offline")
    line(
      "warn",
      `${text(draft.words)} Your labels are kept in this browser and are sent again.`,
      '<button class="btn" type="button" data-do="retry">Try now</button>',
    );
  if (draft.state === "refused")
    line(
      "bad",
      `${text(draft.words).replaceAll("\n", "<br>")}<br>Your labels are kept in this browser.`,
      '<button class="btn" type="button" data-do="retry">Save again</button>',
    );
  if (draft.state === "conflict")
    line(
      "bad",
      text(draft.words),
      draft.choices
        .map(
          (one, n) =>
            `<button class="btn" type="button"
              data-choice="${n}">Use ${text(one.name)}, ${one.list.length} segments</button>`,
        )
        .join(""),
    );
  if (editor.said && editor.said.words !== draft.words)
    line(
      editor.said.level === "done" ? "good" : editor.said.level,
      text(editor.said.words).replaceAll("\n", "<br>"),
      editor.said.level === "done"
        ? '<button class="btn primary" type="button" data-do="next">Next task</button>' +
          '<a class="btn ghost" href="/annotate">Queue</a>'
        : "",
    );
  const notes = (editor.notes ?? []).map((one) => (typeof one === "string" ? one : one.message)),
    own = editor.wrong.map((one) => one.words);
  for (const words of (notes.length ? notes : own).slice(0, 4)) line("warn", text(words));
  return lines.join("");
}
