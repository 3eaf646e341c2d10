// The frame's own behaviour: theme, keys, copied commands, posted actions, islands, live numbers, the banner.
const root = document.documentElement;

function setTheme(theme) {
  root.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

const going = {
  h: "/",
  d: "/deployment",
  p: "/plan",
  e: "/episodes",
  q: "/quality",
  r: "/releases",
  f: "/floor",
  i: "/incidents",
  s: "/settings",
};
let went = 0; // when g was pressed

addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, dialog") || event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); document.querySelector(".find input")?.focus(); }
  else if (event.key === "?") document.querySelector("dialog.keys")?.showModal();
  else if (event.key === "g") went = event.timeStamp;
  else if (going[event.key] && event.timeStamp - went < 1000) location.href = going[event.key];
});

addEventListener("click", async (event) => {
  const theme = event.target.closest("[data-theme-switch]");
  if (theme) return setTheme(root.dataset.theme === "dark" ? "light" : "dark");
  const copy = event.target.closest("[data-copy]");
  if (copy) { await navigator.clipboard?.writeText(copy.dataset.copy); copy.textContent = "Copied"; return; }
  const post = event.target.closest("[data-post]");
  if (post) act(post);
});

// a form posts its filled fields as the JSON of a use case; the pressed button adds values of its own
addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-form]"), button = event.submitter;
  if (!form || !button) return;
  event.preventDefault();
  if (asksFirst(button)) return;
  const body = {};
  for (const field of form.querySelectorAll("[data-kind]")) {
    const { kind } = field.dataset;
    if (kind === "file") {
      if (field.files.length) body[field.name] = await field.files[0].text();
    } else if (field.value.trim() !== "")
      body[field.name] =
        kind === "rows"
          ? field.value
              .split("\n")
              .map((row) => row.trim())
              .filter(Boolean)
          : kind === "pick"
            ? [field.value]
            : kind === "number"
              ? Number(field.value)
              : field.value;
  }
  await send(button, form.dataset.form, JSON.stringify({ ...body, ...JSON.parse(button.dataset.sends || "{}") }));
});

function asksFirst(button) { // what cannot be undone asks once, in place
  if (!button.dataset.sure || button.dataset.asked) return false;
  button.dataset.asked = button.textContent;
  button.textContent = button.dataset.sure;
  return true;
}

async function act(button) {
  if (asksFirst(button)) return;
  await send(button, button.dataset.post, button.dataset.body || "{}");
}

async function send(button, post, body) {
  button.disabled = true;
  button.ariaBusy = "true";
  const answer = await fetch(post, { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(
    () => null,
  );
  const file = answer?.ok && /^attachment; filename="(.+)"$/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
  const result = file
    ? await saved(file, answer)
    : answer
      ? await answer.json().catch(() => ({ detail: `The server answered ${answer.status}` }))
      : { detail: "The server does not answer. Try again." };
  const unused = answer?.ok
    ? (result[button.dataset.unused] ?? []).filter(
        (one) => one.message && (one.status === "errored" || one.already_here),
      )
    : [];
  const goes = answer?.ok ? completed(button.dataset.goes, result) : "";
  if (goes) return void (location.href = goes);
  if (answer?.ok && !unused.length && !button.dataset.show && !button.dataset.goes && !file) {
    forget(button.form);
    return location.reload();
  }
  if (button.nextElementSibling?.getAttribute("role") !== "alert")
    button.insertAdjacentHTML("afterend", '<span role="alert"></span>');
  button.nextElementSibling.className = answer?.ok && !unused.length && result.passed !== false ? "good" : "bad";
  button.nextElementSibling.textContent = !answer?.ok
    ? result.detail
    : unused.map((one) => `${one.name}: ${one.message}`).join("\n") ||
      [(button.dataset.show ?? "reason").split(".").reduce((value, key) => value?.[key], result)].flat().join("\n");
  if (button.dataset.asked) { button.textContent = button.dataset.asked; delete button.dataset.asked; }
  button.disabled = false;
  button.ariaBusy = null;
}

async function saved(name, answer) { // a file of the server becomes a download of this browser
  const link = Object.assign(document.createElement("a"), {
    href: URL.createObjectURL(await answer.blob()),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return { reason: `${name} is downloaded.` };
}

// the text of a whole file survives a reload of the page until it is saved, with the fingerprint of the text that it
// was made from; where the file was changed since, the new text is shown, and the typed one is kept beside it
const keyOf = (field) => `typed:${location.pathname}${location.search}:${field.form.dataset.form}:${field.name}`;
const texts = (where) => [...(where?.querySelectorAll('textarea[data-kind="lines"]') ?? [])];
const forget = (form) => texts(form).forEach((field) => sessionStorage.removeItem(keyOf(field)));
addEventListener(
  "input",
  ({ target }) =>
    target.matches('textarea[data-kind="lines"]') &&
    sessionStorage.setItem(keyOf(target), JSON.stringify({ text: target.value, seen: seenOf(target) })),
);
const seenOf = (field) =>
  [...field.form.querySelectorAll("[data-sends]")].map((one) => JSON.parse(one.dataset.sends).seen).find(Boolean) ?? "";
const read = (key, none) => {
  try { return JSON.parse(sessionStorage.getItem(key)) ?? none; } catch { return none; }
};
for (const field of texts(document)) {
  const key = keyOf(field), typed = read(key, null), asides = read(`${key}:aside`, []);
  if (field.value !== field.defaultValue) field.value = field.defaultValue; // a browser restores text on its own, too
  if (typed?.seen === seenOf(field)) field.value = typed.text;
  else if (typed && typed.text !== field.value) asides.push(typed.text);
  if (typed && typed.seen !== seenOf(field)) sessionStorage.removeItem(key);
  if (asides.length) putAside(field, `${key}:aside`, asides);
  if (asides.length || field.value !== field.defaultValue) field.closest("details")?.setAttribute("open", "");
}

function putAside(field, key, asides) { // what was typed into an older text, to be copied from
  sessionStorage.setItem(key, JSON.stringify(asides));
  const notice = Object.assign(document.createElement("div"), { className: "aside" });
  notice.innerHTML = `<p class="bad" role="status">The file was changed after you typed here. The new text is shown
    above; what you typed is kept below. Put your changes into the new text.</p><button class="btn ghost"
    type="button">Drop what I typed</button>`;
  for (const text of asides)
    notice.firstChild.after(Object.assign(document.createElement("textarea"), {
      value: text, readOnly: true, rows: field.rows, ariaLabel: "What you typed",
    }));
  notice.querySelector("button").onclick = () => { sessionStorage.removeItem(key); notice.remove(); };
  (field.closest("label") ?? field).after(notice);
}

function completed(address, result) { // an address with values of the answer in it; nothing where one is missing
  let whole = Boolean(address);
  const made = (address ?? "").replace(/\{([\w.]+)\}/g, (_, path) => {
    const value = path.split(".").reduce((inner, key) => inner?.[key], result);
    if (value == null) whole = false;
    return encodeURIComponent(value);
  });
  return whole ? made : "";
}

// what has to be scrolled sideways can be reached by Tab and scrolled by the arrow keys
const reached = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const el of document.querySelectorAll(".scroll")) reached.observe(el);

// an island is an element with data-island; its module exports mount(el, args), which returns {push(numbers)} or
// nothing
const places = [...document.querySelectorAll("[data-island]")];
const islands = await Promise.all(
  places.map(async (el) => (await import(el.dataset.module)).mount(el, JSON.parse(el.dataset.args))),
);
performance.mark("usable");

// one stream of numbers; it is closed while the page is hidden, because a browser allows six streams to one server
const shown = places.filter((el) => el.dataset.live).map((el) => Number(el.dataset.live));
let seq = Math.min(...shown), stream, instance;
if (document.querySelector(".lost")) { // pages have a banner, the sign-in form has none
  addEventListener("visibilitychange", follow);
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => event.persisted && follow());
  follow();
}

function follow() {
  stream?.close();
  if (document.visibilityState === "hidden") return;
  stream = new EventSource(shown.length ? `/api/live?numbers=1&after=${seq}` : "/api/live");
  stream.onmessage = ({ data }) => hear(JSON.parse(data));
  stream.onerror = () => {
    root.dataset.lost = "1";
    if (stream.readyState === EventSource.CLOSED) setTimeout(reload, 3000);
  };
}

function hear(news) {
  if (news.instance) {
    if (instance && news.instance !== instance) return reload(); // the server was started again
    instance = news.instance;
    delete root.dataset.lost;
    root.dataset.live = "1";
    return;
  }
  seq = news.seq;
  for (const island of islands) island?.push?.(news);
}

async function reload() { // only if the server answers: otherwise the page would be replaced by the browser's error
  const answer = await fetch("/favicon.ico", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload(); else setTimeout(reload, 3000);
}
