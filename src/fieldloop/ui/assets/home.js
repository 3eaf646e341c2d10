// Live counts: mount() returns push(numbers), which changes only the counts and facts that are new.
export function mount(el) {
  el.dataset.ready = "1";
  return {
    push({ seq, stages }) {
      for (const stage of stages) {
        put(`[data-count="${stage.key}"]`, stage.count);
        put(`[data-fact="${stage.key}"]`, stage.fact);
      }
      el.dataset.seq = seq;
    },
  };
}

function put(selector, value) {
  const node = document.querySelector(selector);
  if (!node || node.textContent === String(value)) return;
  node.textContent = value;
  node.classList.remove("changed");
  void node.offsetWidth; // restart the tint
  node.classList.add("changed");
}
