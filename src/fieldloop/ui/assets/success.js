// The success chart as an island: mount(el, {src, first}) draws; push() fetches the JSON twin and draws again.
import { draw } from "./lineband.js";

export async function mount(el, { src, first }) {
  el.innerHTML = '<svg class="chart" role="img" aria-label="Success over time with its 95 % interval"></svg>';
  const svg = el.firstChild;
  let success = first;
  const redraw = () => success && draw(svg, success);
  const load = async () => { success = (await (await fetch(src)).json()).success; redraw(); el.dataset.ready = "1"; };
  const observer = new ResizeObserver(redraw);
  observer.observe(el);
  if (success) { redraw(); el.dataset.ready = "1"; } else await load();
  return { push: load, destroy: () => observer.disconnect() };
}
