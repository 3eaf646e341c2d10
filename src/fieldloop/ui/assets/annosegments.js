// Segments of one lane, without a page: lists are never changed, every function returns a new one, in order of time.
// A segment is { label, start_s, end_s, object, values, … }; `mode` states whether spans may overlap: never, parts,
// free.
const SAME = 1e-6;
export const FIELDS = [
  "label",
  "start_s",
  "end_s",
  "object",
  "values",
  "blob",
  "confidence",
  "verified_by",
  "error",
  "error_unit",
];

export const sort = (list) =>
  [...list].sort((a, b) => a.start_s - b.start_s || b.end_s - a.end_s || a.label.localeCompare(b.label));
const near = (a, b) => Math.abs(a - b) < SAME;
const alike = (a, b) => a.label === b.label && (a.object ?? "") === (b.object ?? "");
const plain = (one) =>
  Object.fromEntries(
    FIELDS.filter(
      (key) =>
        one[key] !== undefined &&
        one[key] !== null &&
        one[key] !== "" &&
        !(Array.isArray(one[key]) && !one[key].length),
    ).map((key) => [key, typeof one[key] === "number" ? Number(one[key].toFixed(9)) : one[key]]),
  );
export const write = (list) => JSON.stringify(sort(list).map(plain)); // as `annotate save` reads it
export const equal = (a, b) => write(a) === write(b);

export function at(list, t) { // the shortest segment at a moment; -1 where none is
  let found = -1;
  list.forEach((one, k) => {
    if (
      one.start_s <= t + SAME &&
      t + SAME < one.end_s &&
      (found < 0 || one.end_s - one.start_s <= list[found].end_s - list[found].start_s)
    )
      found = k;
  });
  return found;
}
export const boundaries = (list) =>
  [...new Set(list.flatMap((one) => [one.start_s, one.end_s]))]
    .sort((a, b) => a - b)
    .filter((t, k, all) => !k || t - all[k - 1] >= SAME);
export const nearest = (times, t) =>
  times.reduce((best, one) => (best === null || Math.abs(one - t) < Math.abs(best - t) ? one : best), null);
export function gapAt(list, t, end) { // what lies between the segments before and after a moment
  const before = list.filter((one) => one.end_s <= t + SAME).map((one) => one.end_s),
    after = list.filter((one) => one.start_s > t + SAME).map((one) => one.start_s);
  return [Math.max(0, ...before), Math.min(end, ...after)];
}

export function clear(list, from, to, least = SAME, cuts = () => true) {
  // takes a span out of the segments that `cuts` names
  return sort(
    list.flatMap((one) => {
      if (!cuts(one) || one.end_s <= from + SAME || one.start_s >= to - SAME) return [one];
      return [
        { ...one, end_s: Math.min(one.end_s, from) },
        { ...one, start_s: Math.max(one.start_s, to) },
      ].filter((piece) => piece.end_s - piece.start_s >= least);
    }),
  );
}
export function paint(list, segment, { mode = "never", kin = () => false, least = SAME } = {}) {
  // a label over a span; what was there gives way
  if (segment.end_s - segment.start_s < least) return list;
  const gives = {
    never: () => true,
    parts: (one) => !kin(one.label, segment.label),
    free: (one) => alike(one, segment),
  }[mode];
  return sort([...clear(list, segment.start_s, segment.end_s, least, gives), segment]);
}
export function paintAll(list, segments, how) { return segments.reduce((made, one) => paint(made, one, how), list); }

export function cut(list, t, label, { end, least = SAME } = {}) {
  // a boundary now: splits the segment, or ends a new one that began at the last boundary
  const k = at(list, t);
  if (k >= 0) {
    const one = list[k];
    if (t - one.start_s < least || one.end_s - t < least) return list;
    return sort([...list.slice(0, k), { ...one, end_s: t }, { ...one, start_s: t }, ...list.slice(k + 1)]);
  }
  const [from] = gapAt(list, t, end);
  return label && t - from >= least ? sort([...list, { label, start_s: from, end_s: t }]) : list;
}

export function limits(list, t, { end, least = SAME, mode = "never", only = null } = {}) {
  // how far a boundary may move
  let low = 0,
    high = end;
  list.forEach((one, k) => {
    const moves = only === null || only === k;
    if (moves && near(one.start_s, t)) high = Math.min(high, one.end_s - least);
    else if (moves && near(one.end_s, t)) low = Math.max(low, one.start_s + least);
    else if (mode === "never") {
      if (one.end_s <= t + SAME) low = Math.max(low, one.end_s);
      else if (one.start_s >= t - SAME) high = Math.min(high, one.start_s);
    }
  });
  return [low, high];
}
export function move(list, t, to, how = {}) { // both segments at a shared boundary move; neither is ever reversed
  const [low, high] = limits(list, t, how), place = Math.max(low, Math.min(high, to)), { only = null } = how;
  if (near(place, t)) return { list, at: t };
  const moved = list.map((one, k) =>
    only !== null && only !== k
      ? one
      : { ...one, start_s: near(one.start_s, t) ? place : one.start_s, end_s: near(one.end_s, t) ? place : one.end_s },
  );
  return { list: sort(moved), at: place };
}
export function snap(list, t, points, how = {}) { // to the nearest change point that the boundary can reach
  const [low, high] = limits(list, t, how), to = nearest(points.filter((p) => p >= low - SAME && p <= high + SAME), t);
  return to === null ? { list, at: t, none: true } : move(list, t, to, how);
}

export function mergeBack(list, k) { // into the segment before it; without one, it goes
  const one = list[k], before = list.findIndex((other, n) => n !== k && near(other.end_s, one.start_s));
  const rest = list.filter((_, n) => n !== k);
  return before < 0
    ? rest
    : sort(rest.map((other) => (other === list[before] ? { ...other, end_s: one.end_s } : other)));
}
export const change = (list, k, patch) => sort(list.map((one, n) => (n === k ? { ...one, ...patch } : one)));

// What a page can state before the server judges: [{ k, words }]. The server has the last word when labels are
// submitted.
export function problems(list, { labels, end, mode = "never" }) {
  const found = [];
  list.forEach((one, k) => {
    if (one.end_s <= one.start_s) found.push({ k, words: `${one.label} ends before it starts` });
    if (one.start_s < -SAME || one.end_s > end + SAME)
      found.push({ k, words: `${one.label} lies outside the episode` });
    if (!labels.includes(one.label)) found.push({ k, words: `${one.label} is not in the taxonomy` });
    if (mode === "never")
      list.forEach((other, n) => {
        if (n > k && other.start_s < one.end_s - SAME && other.end_s > one.start_s + SAME)
          found.push({ k: n, words: `${other.label} overlaps ${one.label}` });
      });
  });
  return found;
}
export function stack(list) { // a row for each segment, so that overlapping ones lie below each other
  const ends = [], rows = list.map((one) => {
    let row = ends.findIndex((end) => end <= one.start_s + SAME);
    if (row < 0) row = ends.length;
    ends[row] = one.end_s; return row;
  });
  return { rows, count: Math.max(1, ends.length) };
}

// Two people on one lane: where they differ, what both state, and taking one's labels for a span.
export function compare(a, b) {
  const edges = boundaries([...a, ...b]), spans = [];
  for (let k = 0; k + 1 < edges.length; k++) {
    const [from, to] = [edges[k], edges[k + 1]],
      middle = (from + to) / 2,
      one = a[at(a, middle)],
      other = b[at(b, middle)];
    if (!one && !other) continue;
    spans.push({
      from,
      to,
      one,
      other,
      a: one?.label ?? "",
      b: other?.label ?? "",
      agree: Boolean(one && other && alike(one, other)),
    });
  }
  return spans;
}
export function differences(a, b, least = SAME) {
  const made = [];
  for (const span of compare(a, b)) {
    if (span.agree || span.to - span.from < least) continue;
    const last = made.at(-1);
    if (last && near(last.to, span.from) && last.a === span.a && last.b === span.b) last.to = span.to;
    else made.push({ from: span.from, to: span.to, a: span.a, b: span.b });
  }
  return made;
}
export function agreed(a, b) {
  const made = [];
  for (const span of compare(a, b)) {
    if (!span.agree) continue;
    const last = made.at(-1);
    if (last && near(last.end_s, span.from) && last.one === span.one && last.other === span.other) last.end_s = span.to;
    else made.push({ ...span.one, start_s: span.from, end_s: span.to, one: span.one, other: span.other });
  }
  return sort(made.map(({ one, other, ...segment }) => segment));
}
export function take(list, source, from, to) { // a span as one author has it; joined where that author has no boundary
  let made = clear(list, from, to);
  made = sort([
    ...made,
    ...source
      .filter((one) => one.end_s > from + SAME && one.start_s < to - SAME)
      .map((one) => ({ ...one, start_s: Math.max(one.start_s, from), end_s: Math.min(one.end_s, to) })),
  ]);
  const edges = boundaries(source);
  for (const edge of [from, to]) {
    const left = made.findIndex((one) => near(one.end_s, edge)),
      right = made.findIndex((one) => near(one.start_s, edge));
    if (left < 0 || right < 0 || !alike(made[left], made[right]) || edges.some((t) => near(t, edge))) continue;
    const joined = { ...made[left], end_s: made[right].end_s };
    made = sort([...made.filter((_, k) => k !== left && k !== right), joined]);
  }
  return made;
}

export class History { // undo and redo over whole lists
  #past = []; #future = [];
  constructor(list = []) { this.now = sort(list); }
  do(list) { if (equal(list, this.now)) return false; this.#past.push(this.now);
    if (this.#past.length > 500) this.#past.shift(); this.#future = []; this.now = sort(list); return true; }
  show(list) { this.now = sort(list); } // while a drag or a stroke lasts: not a step of its own
  close(before) { const made = this.now; this.now = before; return this.do(made); }
  undo() { if (!this.#past.length) return false; this.#future.push(this.now); this.now = this.#past.pop(); return true;
    }
  redo() { if (!this.#future.length) return false; this.#past.push(this.now); this.now = this.#future.pop();
    return true; }
  reset(list) { this.#past = []; this.#future = []; this.now = sort(list); }
}
