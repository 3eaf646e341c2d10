// What holds for every edit of segments; `s` is the module annosegments.js. Returns what does not hold.
const near = (a, b) => Math.abs(a - b) < 1e-6, wrong = [], say = (what, ...seen) => { if (wrong.length < 5) wrong.push([what, ...seen]); };
let seed = 7; const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
const END = 10, LEAST = 0.1, how = { end: END, least: LEAST }, labels = ["a", "b", "c"];
const span = () => { const t = Math.round(chance() * 90) / 10; return { label: labels[Math.floor(chance() * 3)], start_s: t, end_s: Math.min(END, t + 0.2 + Math.round(chance() * 30) / 10) }; };
const valid = (list) => list.every((one, k) => one.end_s - one.start_s > LEAST / 2 && one.start_s >= 0 && one.end_s <= END + 1e-9 && (!k || list[k - 1].end_s <= one.start_s + 1e-6));
for (let run = 0; run < 300; run++) {
  let history = new s.History([]), states = [[]];
  for (let step = 0; step < 12; step++) {
    const list = history.now, one = span(), t = s.nearest(s.boundaries(list), chance() * END), dice = chance();
    let next = list;
    if (dice < 0.4) { next = s.paint(list, one, how); if (next[s.at(next, (one.start_s + one.end_s) / 2)]?.label !== one.label) say("painted", one, next); }
    else if (dice < 0.55) { const where = chance() * END; next = s.cut(list, where, "a", how); if (next !== list && !s.boundaries(next).some((b) => near(b, where))) say("cut", where, next); }
    else if (dice < 0.7 && t !== null) { const to = chance() * END, moved = s.move(list, t, to, how); next = moved.list; if (!s.boundaries(next).some((b) => near(b, moved.at)) || next.length !== list.length) say("moved", t, to, next); }
    else if (dice < 0.8 && t !== null) { const points = [chance() * END, chance() * END], moved = s.snap(list, t, points, how); next = moved.list; if (!moved.none && !points.some((p) => near(p, moved.at))) say("snapped", t, points, moved.at); }
    else if (dice < 0.9 && list.length) { const k = Math.floor(chance() * list.length); next = s.mergeBack(list, k); if (next.length !== list.length - 1) say("merged", k, next); }
    else if (list.length) next = s.change(list, Math.floor(chance() * list.length), { label: "c" });
    if (!valid(next)) say("overlaps or is reversed", dice, list, next);
    if (history.do(next)) states.push(s.write(next));
  }
  for (let k = states.length - 2; k >= 1; k--) { history.undo(); if (s.write(history.now) !== states[k]) say("undone"); }
  for (let k = 2; k < states.length; k++) { history.redo(); if (s.write(history.now) !== states[k]) say("redone"); }
  const a = s.paintAll([], [span(), span(), span()], how), b = s.paintAll([], [span(), span(), span()], how), apart = s.differences(a, b);
  let decided = s.agreed(a, b);
  for (const one of apart) decided = s.take(decided, a, one.from, one.to);
  if (s.differences(decided, a).length) say("taking A everywhere gives A", a, b, decided);
  if (s.differences(a, a).length) say("no difference from itself");
  if (s.problems(a, { labels, end: END }).length) say("sound labels have no problems", a);
}
const nested = s.paint([{ label: "pick", start_s: 0, end_s: 4 }], { label: "reach", start_s: 1, end_s: 2 }, { mode: "parts", kin: () => true });
if (nested.length !== 2 || nested[0].end_s !== 4) say("a part lies within its whole", nested);
const free = s.paint([{ label: "target", object: "cup-1", start_s: 0, end_s: 4 }], { label: "target", object: "cup-2", start_s: 1, end_s: 2 }, { mode: "free" });
if (free.length !== 2) say("objects lie beside each other", free);
if (s.stack(free).count !== 2) say("two rows", free);
const bad = s.problems([{ label: "x", start_s: 3, end_s: 2 }, { label: "a", start_s: 1, end_s: 12 }, { label: "b", start_s: 2, end_s: 3 }], { labels, end: END });
if (bad.length !== 5) say("reversed, outside, unknown, overlapping", bad);
return wrong;
