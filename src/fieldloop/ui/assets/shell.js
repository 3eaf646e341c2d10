// The frame's own behaviour: theme, keys, copied commands, posted actions, islands, live numbers, the banner.
const root = document.documentElement;

function setTheme(theme) {
  root.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

const going = { h: "/", d: "/deployment", p: "/plan", e: "/episodes", q: "/quality", r: "/releases", f: "/floor", i: "/incidents", s: "/settings" };
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

async function act(button) { // what cannot be undone asks once, in place
  if (button.dataset.sure && !button.dataset.asked) { button.dataset.asked = "1"; button.textContent = button.dataset.sure; return; }
  button.disabled = true;
  const answer = await fetch(button.dataset.post, { method: "POST", headers: { "Content-Type": "application/json" }, body: button.dataset.body || "{}" });
  if (answer.ok) return location.reload();
  const problem = await answer.json().catch(() => ({ detail: `The server answered ${answer.status}` }));
  button.insertAdjacentHTML("afterend", '<span class="bad" role="alert"></span>');
  button.nextElementSibling.textContent = problem.detail;
  button.disabled = false;
}

// a form with data-form sends its fields as JSON; the pressed button adds values of its own
addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-form]"), button = event.submitter;
  if (!form || !button) return;
  event.preventDefault();
  if (button.dataset.sure && !button.dataset.asked) { button.dataset.asked = "1"; button.textContent = button.dataset.sure; return; }
  const given = [...form.elements].filter((e) => e.name && e.value !== "").map((e) => [e.name, e.type === "number" ? Number(e.value) : e.value]);
  const body = JSON.stringify({ ...Object.fromEntries(given), ...JSON.parse(button.dataset.sends || "{}") });
  button.disabled = true;
  const answer = await fetch(form.dataset.form, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (answer.ok && !button.dataset.show) return location.reload();
  const said = await answer.json().catch(() => ({ detail: `The server answered ${answer.status}` }));
  form.querySelector("[role=alert]")?.remove();
  form.insertAdjacentHTML("beforeend", '<p role="alert"></p>');
  form.lastElementChild.className = answer.ok ? "good" : "bad";
  form.lastElementChild.textContent = answer.ok ? button.dataset.show.split(".").reduce((value, key) => value?.[key], said) : said.detail;
  button.disabled = false;
});

// an island is an element with data-island; its module exports mount(el, args), which returns {push(numbers)} or nothing
const places = [...document.querySelectorAll("[data-island]")];
const islands = await Promise.all(places.map(async (el) => (await import(el.dataset.module)).mount(el, JSON.parse(el.dataset.args))));
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
  stream.onerror = () => { root.dataset.lost = "1"; if (stream.readyState === EventSource.CLOSED) setTimeout(reload, 3000); };
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
