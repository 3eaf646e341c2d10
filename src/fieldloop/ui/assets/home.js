// Live counts: mount(el, {src}) waits for pushes, fetches the JSON twin once, and touches only the numbers that changed.
export function mount(el, { src }) {
  performance.mark("usable");
  el.dataset.ready = "1";
  let busy = false, again = false;
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    const home = await (await fetch(src)).json();
    for (const stage of home.stages) {
      put(`[data-count="${stage.key}"]`, stage.count);
      put(`[data-fact="${stage.key}"]`, stage.fact);
    }
    el.dataset.seq = home.seq;
    busy = false;
    if (again) { again = false; refresh(); }
  }
  return { push: refresh, destroy() {} };
}

function put(selector, value) {
  const node = document.querySelector(selector);
  if (!node || node.textContent === String(value)) return;
  node.textContent = value;
  node.classList.remove("changed");
  void node.offsetWidth; // restart the tint
  node.classList.add("changed");
}
