// Beside the lanes: result and object, the segment at the playhead, differences, and the reference cards of the labels.
import { at as segmentAt, change } from "./annosegments.js";
import { colourOf } from "./annolanes.js";
import { text } from "./marks.js";

const MEASURED = ["pose", "contact", "mask", "reward"];
const option = (value, chosen, words = value) =>
  `<option value="${text(value)}"${value === chosen ? " selected" : ""}>${text(words)}</option>`;

export function drawSide(editor, el) {
  const panel = (name, title, open = true) =>
    `<details class="panel" data-panel="${name}"${open ? " open" : ""}><summary><h2>${title}</h2><span class="dim"
      data-note></span></summary><div class="body"></div></details>`;
  el.innerHTML = `${editor.deciding ? panel("differences", "Differences") : ""}${editor.verdictKinds.length
    && !editor.deciding ? panel("verdict", "Result and object") : ""}${panel("segment", "This segment",
      innerWidth > 760)}${panel("labels", "Labels", innerWidth > 760)}`;
  const at = (name) => el.querySelector(`[data-panel="${name}"]`),
    body = (name) => at(name)?.querySelector(".body"),
    note = (name, words) => {
      const where = at(name)?.querySelector("[data-note]");
      if (where) where.textContent = words;
    };
  const side = {
    verdict() {
      if (!body("verdict") || body("verdict").contains(document.activeElement)) return;
      const first = (kind) => editor.drafts.get(kind)?.list[0],
        names = (kind) => editor.labelsOf(kind).map((one) => one.name),
        has = (kind) => editor.verdictKinds.includes(kind);
      const result = first("success")?.label ?? "", mode = first("failure")?.label ?? "", object = first("object");
      body("verdict").innerHTML = `<form class="an-verdict">${has("success")
        ? `<fieldset><legend>Result</legend>${names("success").map((name) => `<label><input type="radio" name="success"
          value="${text(name)}"${name === result ? " checked" : ""}> ${text(name)}</label>`).join("")}</fieldset>` : ""}
        ${has("failure") ? `<label>Failure mode<select name="failure">${option("", mode,
          "none")}${names("failure").map((name) => option(name, mode)).join("")}</select></label>` : ""}
        ${has("object") ? `<label>Object<span><select name="role">${names("object").map((name) => option(name,
          object?.label ?? "")).join("")}</select><input name="object" value="${text(object?.object ?? "")}"
            placeholder="identity, such as cup-17" maxlength="200"></span></label>` : ""}
        <p class="dim">Each covers the whole episode; spans can be moved in its lane.</p></form>`;
      note("verdict", editor.verdictState());
    },
    segment() {
      const k = segmentAt(editor.list, editor.player.time), one = editor.list[k], form = body("segment");
      note("segment", one ? `${one.start_s.toFixed(3)} to ${one.end_s.toFixed(3)} s` : "");
      const signature = one ? `${k}/${editor.kind}/${one.label}/${one.object ?? ""}` : `none/${editor.kind}`;
      if (
        form.dataset.shows === signature ||
        (form.contains(document.activeElement) && document.activeElement.matches("input"))
      )
        return;
      form.dataset.shows = signature;
      if (!one) {
        form.innerHTML = `<p class="dim">No segment at the playhead. A label key fills the gap.</p>`;
        return;
      }
      const measured = MEASURED.includes(editor.kind),
        may = editor.mayEdit ? "" : " disabled",
        field = (name, words, value, hint = "") =>
          `<label>${words}<input name="${name}" value="${text(value ?? "")}"
            placeholder="${text(hint)}"${may}></label>`;
      form.innerHTML = `<form class="an-segment" data-k="${k}"><label>Label<select
        name="label"${may}>${editor.labels.map((l) => option(l.name, one.label)).join("")}${editor.labels.some((l) =>
          l.name === one.label) ? "" : option(one.label, one.label,
            `${one.label} (outside the taxonomy)`)}</select></label>
        ${field("object", "Object", one.object, "identity, such as cup-17")}${measured ? field("verified_by",
          "Verified by", one.verified_by, "person, second sensor or model") + field("error", "Error found", one.error,
            "0.4") + field("error_unit", "Unit", one.error_unit, "mm") : ""}
        ${["pose", "reward"].includes(editor.kind) ? field("values", editor.kind === "pose"
          ? "x y z and quaternion x y z w" : "Reward", (one.values ?? []).join(" "), "numbers, separated by spaces")
            : ""}${editor.kind === "mask" ? field("blob", "Hash of the mask", one.blob) : ""}</form>`;
    },
    labels() {
      const here = editor.list[segmentAt(editor.list, editor.player.time)]?.label ?? "", list = body("labels");
      const signature = `${editor.kind}/${here}/${editor.pen ?? ""}`;
      note("labels", editor.labelling.taxonomy_name);
      if (list.dataset.shows === signature) return;
      list.dataset.shows = signature;
      list.innerHTML = `<ul class="an-cards">${editor.labels.map((one) => {
        const current = one.name === here, key = editor.keyOf(one);
        const rest = [
          one.begins && `<dt>Begins</dt><dd>${text(one.begins)}</dd>`,
          one.ends && `<dt>Ends</dt><dd>${text(one.ends)}</dd>`,
          one.card && `<dt>Looks like</dt><dd>${text(one.card)}</dd>`,
          ...(one.edge_cases ?? []).map((words) => `<dt>Edge case</dt><dd>${text(words)}</dd>`),
          one.includes?.length && `<dt>Includes</dt><dd>${text(one.includes.join(", "))}</dd>`,
          ...(one.examples ?? []).map(
            (e) =>
              `<dt>Example</dt><dd><a href="/episodes/${encodeURIComponent(e.episode)}?at=${e.start_s}">${text(e.shows
                || e.episode)}</a></dd>`,
          ),
        ]
          .filter(Boolean)
          .join("");
        return `<li class="${current ? "here" : ""}${editor.pen === one.name ? " pen" : ""}"><button type="button"
          data-label="${text(one.name)}"${editor.mayEdit ? "" : " disabled"}>${key ? `<kbd>${text(key)}</kbd>`
            : "<span></span>"}<i style="background: var(${colourOf(editor,
              one.name)})"></i><b>${text(one.name)}</b></button><p>${text(one.definition)}</p>${rest
                ? `<details${current ? " open"
                  : ""}><summary>boundaries and edge cases</summary><dl>${rest}</dl></details>` : ""}</li>`;
      }).join("")}</ul>`;
      const shown = list.querySelector(".here"); // within its own box: the page does not jump while playing
      if (shown && (shown.offsetTop < list.scrollTop || shown.offsetTop + 60 > list.scrollTop + list.clientHeight))
        list.scrollTop = shown.offsetTop - 8;
    },
    differences() {
      if (!body("differences")) return;
      const all = editor.differences, open = all.filter((one) => !editor.isDecided(one)).length;
      note("differences", all.length ? `${open} of ${all.length} open` : "none");
      const select = (name, chosen) =>
        `<select name="${name}" aria-label="Author ${name.toUpperCase()}">${editor.people.map((one) =>
          option(one.author, chosen)).join("")}</select>`;
      body("differences").innerHTML =
        `<p class="an-between"><label>A ${select("a", editor.a)}</label><label>B ${select("b", editor.b)}</label></p><p
          class="chips"><button class="btn" data-take="a" type="button">Take A <kbd>a</kbd></button><button class="btn"
            data-take="b" type="button">Take B <kbd>b</kbd></button><button class="btn ghost" data-take="A"
              type="button">All of A</button><button class="btn ghost" data-take="B" type="button">All of B</button></p>
        <ol class="lk-list an-differences">${all.map((one, k) => `<li><button type="button" data-difference="${k}"${one
          === editor.difference ? ' aria-current="true"' : ""}><em class="${editor.isDecided(one) ? "good"
            : "bad"}">${editor.isDecided(one) ? "✓"
              : "?"}</em><span>${text(editor.describe(one))}</span><i>${
              one.from.toFixed(2)} s</i></button></li>`).join("") ||
          '<li class="dim">Both drew the same labels.</li>'}</ol>
        <label class="an-comment">Why, for the record<input name="comment" maxlength="500"
          value="${text(editor.comment)}"></label>`;
    },
    all() { side.verdict(); side.segment(); side.labels(); },
  };
  el.addEventListener("click", (event) => {
    const label = event.target.closest("[data-label]"),
      difference = event.target.closest("[data-difference]"),
      taken = event.target.closest("[data-take]");
    if (label) { editor.label(label.dataset.label); label.blur(); }
    if (difference) editor.goTo(editor.differences[Number(difference.dataset.difference)]);
    if (taken) { editor.takeFrom(taken.dataset.take.toLowerCase(), taken.dataset.take < "a"); taken.blur(); }
  });
  el.addEventListener("change", (event) => {
    const { name, value } = event.target;
    if (event.target.closest(".an-segment")) setField(editor, Number(event.target.form.dataset.k), name, value);
    else if (name === "a" || name === "b") editor.between(name, value);
    if (event.target.matches("select, input[type=radio]")) event.target.blur();
  });
  el.addEventListener("input", (event) => {
    if (event.target.closest(".an-verdict")) editor.setVerdict(new FormData(event.target.form), event.target.name);
    if (event.target.name === "comment") editor.comment = event.target.value;
  });
  el.addEventListener("submit", (event) => event.preventDefault());
  return side;
}

function setField(editor, k, name, value) {
  const words = value.trim(), number = Number(words);
  if (name === "error" && words && !Number.isFinite(number)) return editor.tell(`${words} is not a number.`, "bad");
  const values = words.split(/[\s,;]+/).filter(Boolean).map(Number);
  if (name === "values" && values.some((one) => !Number.isFinite(one)))
    return editor.tell(`${words} should be numbers, separated by spaces.`, "bad");
  editor.edit((list) =>
    change(list, k, { [name]: name === "error" ? (words ? number : null) : name === "values" ? values : words }),
  );
}
