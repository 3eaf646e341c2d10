// The annotator's reaction time: a marker appears, the annotator presses Enter, several times; the median is kept for
// that person.
const keyOf = (author) => `fieldloop.reaction_ms/${author}`, ROUNDS = 7, TOO_FAST_MS = 90, TOO_SLOW_MS = 1500;
export const median = (values) => {
  const all = [...values].sort((a, b) => a - b),
    half = all.length >> 1;
  return all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
};
export function readReaction(author) {
  try {
    const ms = Number(localStorage.getItem(keyOf(author)));
    return ms > 0 && ms < TOO_SLOW_MS ? ms : null;
  } catch {
    return null;
  }
}
export function keepReaction(author, ms) {
  try {
    if (ms === null) localStorage.removeItem(keyOf(author));
    else localStorage.setItem(keyOf(author), String(ms));
  } catch {
    /* it lasts as long as the page */
  }
}

// resolves with the median in ms, null where it was ended
export function measureReaction(host, { pause = () => 700 + 1500 * Math.random() } = {}) {
  const dialog = document.createElement("dialog");
  dialog.className = "keys an-react"; dialog.setAttribute("aria-label", "Measure my reaction time");
  dialog.innerHTML = `<h2>Measure my reaction time</h2><p>Press <kbd>Enter</kbd> as soon as the marker appears,
    ${ROUNDS} times. Boundaries that you set while playing are moved back by the median.</p>
    <div class="an-flash" aria-live="assertive"></div><p class="dim" data-said>Press Enter to begin.</p>
    <button class="btn" type="button">End without measuring</button>`;
  host.append(dialog); dialog.showModal();
  const flash = dialog.querySelector(".an-flash"), said = dialog.querySelector("[data-said]"), times = [];
  let shown = 0, timer = 0, begun = false;
  return new Promise((done) => {
    const end = (ms) => { clearTimeout(timer); dialog.close(); dialog.remove(); done(ms); };
    const next = () => {
      shown = 0;
      flash.dataset.on = "";
      timer = setTimeout(
        () =>
          requestAnimationFrame(() => {
            flash.dataset.on = "1";
            shown = performance.now();
          }),
        pause(),
      );
    };
    dialog.addEventListener("cancel", () => end(null));
    dialog.querySelector("button").addEventListener("click", () => end(null));
    dialog.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Enter" || event.repeat) return;
      event.preventDefault();
      if (!begun) { begun = true; said.textContent = "Wait for the marker …"; return next(); }
      const ms = performance.now() - shown;
      clearTimeout(timer);
      if (!shown || ms < TOO_FAST_MS) said.textContent = "Too early: this one does not count.";
      else if (ms > TOO_SLOW_MS) said.textContent = "Too late: this one does not count.";
      else { times.push(ms); said.textContent = `${times.length} of ${ROUNDS}: ${Math.round(ms)} ms`; }
      if (times.length === ROUNDS) end(Math.round(median(times))); else next();
    });
  });
}
