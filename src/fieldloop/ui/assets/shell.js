// The frame's own behaviour: theme, keys, copied commands, posted actions, the banner when the server is gone.
const root = document.documentElement;

window.setTheme = (theme) => {
  root.dataset.theme = theme;
  localStorage.setItem("theme", theme);
  window.Quasar?.Dark.set(theme === "dark");
};
addEventListener("load", () => window.Quasar?.Dark.set(root.dataset.theme === "dark"));

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

// the socket says when the server is gone; NiceGUI reloads the page by itself once it is back
const watch = setInterval(() => {
  const socket = window.socket;
  if (!socket) return;
  clearInterval(watch);
  socket.on("connect", () => delete root.dataset.lost);
  socket.on("disconnect", () => { root.dataset.lost = "1"; });
  socket.on("connect_error", () => { root.dataset.lost = "1"; });  // the server went before the socket came up
  root.dataset.live = "1";
}, 200);
