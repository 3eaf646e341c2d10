// The success chart as an island: mount(el, {first}) draws; push({success}) draws again.
import { draw } from "./lineband.js";

export function mount(el, { first }) {
  el.innerHTML = '<svg class="chart" role="img" aria-label="Success over time with its 95 % interval"></svg>';
  const svg = el.firstChild;
  let success = first;
  const redraw = () => draw(svg, success);
  new ResizeObserver(redraw).observe(el);
  redraw();
  el.dataset.ready = "1";
  return { push: (news) => { if (news.success) { success = news.success; redraw(); } } };
}
