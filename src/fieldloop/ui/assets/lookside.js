// What stands beside the cameras: the episodes of the set, findings, facts, signals to draw, and how each camera is
// decoded.
import { text } from "./marks.js";
import { writeUnit } from "./signals.js";

const GLYPH = {
  bad: '<path d="M4 .5h6L13.5 4v6L10 13.5H4L.5 10V4Z"/>',
  warn: '<path d="M7 1l6.5 12H.5Z"/>',
  good: '<circle cx="7" cy="7" r="6"/>',
  idle: '<circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" stroke-width="2"/>',
};
const mark = (level) =>
  `<svg class="${level}" viewBox="0 0 14 14" width="12" height="12" fill="currentColor"
    aria-hidden="true">${GLYPH[level] ?? GLYPH.idle}</svg>`;

export function drawSide(look, el) {
  const { view, args, player } = look, many = (args.episodes ?? []).length > 1;
  const panel = (name, title, open = true) =>
    `<details class="panel" data-panel="${name}"${open ? " open" : ""}><summary><h2>${title}</h2><span class="dim"
      data-note></span></summary><div class="body"></div></details>`;
  el.innerHTML =
    (many ? panel("episodes", "Episodes", !(innerWidth < 760)) : "") +
    panel("findings", "Findings") +
    panel("facts", "Episode") +
    panel("cameras", "Cameras", false) +
    panel("signals", "Signals", false) +
    panel("compare", "Compare", false);
  const body = (name) => el.querySelector(`[data-panel="${name}"] .body`),
    note = (name, words) => {
      const at = el.querySelector(`[data-panel="${name}"] [data-note]`);
      if (at) at.textContent = words;
    };
  const e = view.episode, row = (k, v) => (v === "" || v == null ? "" : `<dt>${k}</dt><dd>${text(v)}</dd>`);
  body("facts").innerHTML =
    `<dl class="kv">${row("Name", e.name)}${row("From", view.source)}${row("Task", e.task)}${row("Robot",
      e.robot)}${row("Operator", e.operator)}${row("Site", e.site)}${row("Outcome", view.succeeded == null ? ""
        : view.succeeded ? "succeeded" : view.failure || "failed")}${row("Length",
          `${view.duration_s.toFixed(2)} s`)}${row("Format", e.format)}${row("Begun", view.start.startsWith("1970")
            ? "" : view.start.slice(0, 19).replace("T", " "))}</dl>` +
    view.defects
      .slice(0, 6)
      .map((d) => `<p class="lk-defect">${mark("warn")} <span>${text(d.subject)}: ${text(d.message)}</span></p>`)
      .join("");

  const side = {
    findings() { // what holds the episode back first; what could not be judged is folded
      const found = view.findings,
        item = (f) =>
          `<li><button data-finding="${found.indexOf(f)}"${f.at_s == null ? " disabled"
            : ""}>${mark(f.level)}<span>${text(f.message)}</span><i>${f.at_s == null ? ""
              : `${f.at_s.toFixed(2)} s`}</i></button></li>`;
      const list = (some) => `<ul class="lk-list">${some.map(item).join("")}</ul>`,
        open = (found ?? []).filter((f) => f.counts || f.status !== "cannot_tell"),
        rest = (found ?? []).filter((f) => !open.includes(f));
      note("findings", found ? (open.length ? String(open.length) : "none open") : "");
      body("findings").innerHTML = !found
        ? '<p class="dim">Not checked.</p>'
        : (open.length ? list(open) : '<p class="dim">Nothing holds this episode back.</p>') +
          (rest.length
            ? `<details class="lk-more"><summary>${rest.length} could not be judged</summary>${list(rest)}</details>`
            : "");
    },
    checking(on) { if (!view.findings) body("findings").innerHTML = on
      ? '<p class="dim" role="status">The episode is being checked …</p>'
        : '<p class="dim">It could not be checked.</p>'; else note("findings", on ? "measuring the camera lag …" : "");
          },
    cameras() { body("cameras").innerHTML = player.cameras.map((c) => `<p><b>${text(c.camera.name)}</b><br><span
      class="dim">${c.error ? text(c.error) : `${c.source?.engine === "WebCodecs" ? "decoded here"
        : "pictures from the server"}, ${text(c.camera.codec
          || "pictures")}, ${c.camera.width} × ${c.camera.height}, ${c.camera.frames} frames${c.camera.hz
            ? `, ${Number(c.camera.hz.toPrecision(4))} Hz` : ""}, clock ${text(c.camera.clock)}${c.word
              ? `; ${text(c.word)}` : ""}`}</span></p>`).join("") || '<p class="dim">No camera.</p>'; },
    signals() {
      note("signals", `${look.shown.size} of ${view.signals.length}`);
      body("signals").innerHTML =
        view.signals
          .map(
            (s) =>
              `<label class="lk-pick"><input type="checkbox" value="${text(s.name)}"${look.shown.has(s.name)
                ? " checked" : ""}> ${text(s.name)} <span class="dim">${text(writeUnit(s))}</span></label>`,
          )
          .join("") || '<p class="dim">No signals.</p>';
    },
    compared() {
      if (!look.other) return;
      body("compare").parentElement.open = true;
      body("compare").innerHTML =
        `<p>Below, dashed: <b>${text(look.other.episode.name)}</b></p><label class="lk-offset">It starts <input
          type="number" step="0.05" value="${-look.offset || 0}" aria-label="Seconds later"> s later</label><p><button
            class="btn" data-end-compare>End comparison</button></p>`;
    },
    word(words) { body("compare").insertAdjacentHTML("beforeend", `<p class="bad" role="alert">${text(words)}</p>`); },
  };
  look.side = side;
  side.findings(); side.cameras(); side.signals();
  const listed = (args.episodes ?? []).filter((one) => one.key !== view.key);
  body("compare").innerHTML =
    `<form class="lk-compare"><input list="lk-episodes" placeholder="${args.standalone ? "number of an episode"
      : "name or id of an episode"}" aria-label="Episode to compare with"><datalist id="lk-episodes">${listed
      .slice(0, 200)
      .map((one) => `<option value="${text(one.key)}">${text(one.name)}</option>`)
      .join("")}</datalist><button class="btn">Compare</button></form>`;
  if (many) {
    note("episodes", `${args.count}`);
    body("episodes").innerHTML =
      `<ol class="lk-episodes">${args.episodes.map((one) => `<li><a
        href="${args.standalone}?episode=${encodeURIComponent(one.key)}"${one.key === view.key ? ' aria-current="true"'
          : ""}>${text(one.key === view.key ? e.name : one.name
            || `number ${one.key}`)}</a></li>`).join("")}</ol>${args.count > args.episodes.length
              ? `<form class="lk-compare" data-goto><input type="number" min="0" max="${args.count - 1}"
                placeholder="number, 0 to ${args.count - 1}" aria-label="Number of an episode"><button
                  class="btn">Open</button></form>` : ""}`;
    body("episodes").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  el.addEventListener("click", (event) => {
    const hit = event.target.closest("[data-finding]");
    if (hit) player.seekTime(view.findings[Number(hit.dataset.finding)].at_s);
    if (event.target.closest("[data-end-compare]")) {
      const q = new URLSearchParams(location.search);
      q.delete("with");
      q.delete("offset");
      location.search = q;
    }
  });
  el.addEventListener("change", (event) => {
    if (event.target.type === "checkbox") {
      look.chosen = true;
      look.plots([...body("signals").querySelectorAll("input:checked")].map((box) => box.value));
      look.save();
    }
    if (event.target.closest(".lk-offset")) look.shiftOther(-Number(event.target.value) || 0);
  });
  el.addEventListener("submit", (event) => {
    const form = event.target.closest(".lk-compare");
    if (!form) return;
    event.preventDefault();
    if ("goto" in form.dataset) {
      location.href = `${args.standalone}?episode=${encodeURIComponent(form.querySelector("input").value)}`;
      return;
    }
    const key = form.querySelector("input").value.trim();
    if (key) look.compare(key);
  });
}
