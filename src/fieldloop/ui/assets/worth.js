// The worth of a release's episodes: asked for by a button, because every log is read; shown in place, least valuable
// first. mount(el, { release, methods: { smooth: "…" } }).
import { percent, text } from "./marks.js";

const MOST = 12;
const figure = (v) => v.toPrecision(3).replace("-", "−");

export function mount(el, { release, methods }) {
  const options = Object.keys(methods).map((name) => `<option value="${text(name)}">${text(name)}</option>`).join("");
  el.innerHTML = `<form class="form under"><label for="worth-method">Worth by</label>
    <select id="worth-method" name="method">${options}</select>
    <p class="dim" data-means></p>
    <div class="chips"><button class="btn primary">Estimate</button><span role="status"></span></div></form>
    <div class="under" data-result></div>`;
  const form = el.querySelector("form"),
    button = el.querySelector("button"),
    status = el.querySelector("[role=status]");
  const means = () => { el.querySelector("[data-means]").textContent = methods[form.method.value]; };
  form.method.addEventListener("change", means);
  means();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const stop = count(button, status);
    const query = new URLSearchParams({ release, method: form.method.value });
    const answer = await fetch(`/api/release/worth?${query}`).catch(() => null);
    const body = (await answer?.json().catch(() => null)) ?? { detail: "The server does not answer. Try again." };
    stop();
    status.className = answer?.ok ? "" : "bad";
    status.textContent = answer?.ok ? "" : body.detail;
    if (answer?.ok) el.querySelector("[data-result]").innerHTML = draw(body);
  });
  el.dataset.ready = "1";
}

function count(button, status) { // seconds since the question, so that a long estimate is seen to go on
  const begun = Date.now(), show = () => {
    status.textContent = `Reading every log: ${Math.round((Date.now() - begun) / 1000)} s. Leave the page open.`;
  };
  button.disabled = true;
  status.className = "dim";
  show();
  const timer = setInterval(show, 1000);
  return () => { clearInterval(timer); button.disabled = false; };
}

function draw({ episodes, unknown, evidence, conclusion }) {
  const reasons = new Map();
  for (const [, why] of unknown) reasons.set(why.message, (reasons.get(why.message) ?? 0) + 1);
  const missing = [...reasons].map(([why, n]) => `<p class="dim">${n} without an estimate: ${text(why)}</p>`).join("");
  return `<p><b>${text(conclusion)}</b></p>${drawEpisodes(episodes)}${missing}${drawEvidence(evidence)}`;
}

function drawEpisodes(episodes) {
  if (!episodes.length) return "";
  const rows = episodes.map((one, k) => `<tr><td class="num">${k + 1}</td>
    <td><a href="/episodes/${encodeURIComponent(one.episode)}">${text(one.name)}</a></td>
    <td class="num">${figure(one.value)}</td>
    <td class="num">${one.low == null ? "–" : `${figure(one.low)} to ${figure(one.high)}`}</td></tr>`);
  const table = (some) => `<div class="scroll"><table class="t"><thead><tr><th scope="col" class="num">Rank</th>
    <th scope="col">Episode</th><th scope="col" class="num">Worth</th><th scope="col" class="num">Interval</th></tr>
    </thead><tbody>${some.join("")}</tbody></table></div>`;
  const rest = rows.slice(MOST);
  const more = rest.length
    ? `<details class="rest"><summary>${rest.length} more</summary>${table(rest)}</details>`
    : "";
  return table(rows.slice(0, MOST)) + more;
}

function drawEvidence(evidence) {
  if (!evidence.length) return "";
  const rows = evidence.map((one) => `<tr><td>${text(one.whole)}</td><td>${text(one.without)}</td>
    <td class="num">${percent(one.share, 0)}</td><td class="num">${one.successes}/${one.trials}</td>
    <td class="num">${one.successes_without}/${one.trials_without}</td>
    <td class="num">${percent(one.low)} to ${percent(one.high)}</td></tr>`);
  return `<p><b>Trials with and without the least valuable</b></p><div class="scroll"><table class="t"><thead><tr>
    <th scope="col">Release</th><th scope="col">Without</th><th scope="col" class="num">Left out</th>
    <th scope="col" class="num">Succeeded</th><th scope="col" class="num">Without</th>
    <th scope="col" class="num">Gain</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
