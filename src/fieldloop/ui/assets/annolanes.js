// Lanes of the annotation page: proposals, other people, change points, differences, and the own lane that is edited.
import { cut, SERIES } from "./timeline.js";
import { at as segmentAt, boundaries, move, nearest, stack } from "./annosegments.js";

const ROW = 28, READ = 22, REACH_PX = 7;
export const colourOf = (editor, label) => {
  const k = editor.labels.findIndex((one) => one.name === label);
  return k < 0 ? "--bad" : SERIES[k % SERIES.length];
};
const spanOf = (one) => `${one.start_s.toFixed(2)} to ${one.end_s.toFixed(2)} s`;
const shareOf = (one) => (one.confidence == null ? "" : `, ${Math.round(100 * one.confidence)} % sure`);

function drawBar(g, at, one, { colour, y, height, dashed = false, strong = false, bad = false }) {
  const x = at.x(one.start_s), w = Math.max(2, at.x(one.end_s) - x), c = at.colour(colour);
  g.fillStyle = c; g.globalAlpha = dashed ? 0.1 : strong ? 0.42 : 0.26; g.fillRect(x, y, w, height); g.globalAlpha = 1;
  g.fillRect(x, y, 2, height);
  if (dashed || strong || bad) {
    g.strokeStyle = bad ? at.colour("--bad") : c;
    g.lineWidth = bad ? 2 : 1;
    g.setLineDash(dashed ? [3, 2] : []);
    g.strokeRect(x + 0.5, y + 0.5, w - 1, height - 1);
    g.setLineDash([]);
    g.lineWidth = 1;
  }
  const from = Math.max(x, at.left), room = Math.min(x + w, at.right) - from;
  g.fillStyle = at.colour("--ink");
  if (room > 18)
    g.fillText(
      cut(g, `${bad ? "! " : ""}${one.label}${one.object ? ` · ${one.object}` : ""}`, room - 8),
      from + 6,
      y + height / 2 + 4,
    );
}

export function readOnlyLane(editor, { name, label, segments, dashed = false }) {
  const rows = () => stack(segments());
  return {
    name, get label() { return typeof label === "function" ? label() : label; }, height: () => (segments().length
      ? READ * rows().count : 0),
    draw(g, at) { const { rows: row } = rows(); segments().forEach((one, k) => drawBar(g, at, one,
      { colour: colourOf(editor, one.label), y: at.top + 3 + READ * row[k], height: READ - 5, dashed })); },
    over({ time }) { const one = segments()[segmentAt(segments(), time)];
      return one && { tip: `${one.label}${one.object ? ` · ${one.object}` : ""}, ${spanOf(one)}${shareOf(one)}` }; },
  };
}

export function changesLane(editor) { // where signals change: a boundary snaps to these
  const near = (x) =>
    editor.changes
      .map((one) => ({ one, d: Math.abs(editor.timeline.x(one.at_s) - x) }))
      .filter((one) => one.d < 6)
      .sort((a, b) => a.d - b.d)[0]?.one;
  return {
    name: "changes",
    label: "Change points (s)",
    height: () => (editor.changes.length ? 16 : 0),
    draw(g, at) {
      g.fillStyle = at.colour("--ink-2");
      for (const one of editor.changes) {
        const h = 4 + 9 * one.strength;
        g.fillRect(Math.round(at.x(one.at_s)), at.top + at.height - h, 2, h);
      }
    },
    over({ x }) {
      const one = near(x);
      return one && { tip: `${one.what}${one.side ? ` (${one.side})` : ""}` };
    },
  };
}

export function differencesLane(editor) {
  const near = (time) => editor.differences.find((one) => one.from <= time && time < one.to);
  return {
    name: "differences", label: "Differences", height: () => (editor.deciding ? 16 : 0),
    draw(g, at) {
      for (const one of editor.differences) {
        const x = at.x(one.from),
          w = Math.max(3, at.x(one.to) - x),
          open = !editor.isDecided(one);
        g.fillStyle = at.colour(open ? "--bad" : "--good");
        g.globalAlpha = open ? 0.75 : 0.45;
        g.fillRect(x, at.top + 5, w, at.height - 8);
        g.globalAlpha = 1;
        if (open)
          for (let k = x + 3; k < x + w; k += 5) {
            g.fillStyle = at.colour("--surface");
            g.fillRect(k, at.top + 5, 1, at.height - 8);
          } // hatched: open, also in grey
      }
    },
    down({ time }) { const one = near(time); if (one) editor.goTo(one); return Boolean(one); },
    over({ time }) { const one = near(time); return one && { cursor: "pointer", tip: editor.describe(one) }; },
  };
}

export function ownLane(editor) {
  const rows = () => (editor.mode === "never" ? { rows: editor.list.map(() => 0), count: 1 } : stack(editor.list));
  const edgeAt = ({ x, y }, lane) => {
    // the edge under the pointer, and the one segment it belongs to where spans may overlap
    const t = nearest(boundaries(editor.list), editor.timeline.timeAt(x));
    if (t === null || Math.abs(editor.timeline.x(t) - x) > REACH_PX) return null;
    if (editor.mode === "never") return { t, only: null };
    const row = Math.floor((y - lane.top) / ROW),
      { rows: row_of } = rows();
    const only = editor.list.findIndex(
      (one, k) =>
        row_of[k] === row && [one.start_s, one.end_s].some((edge) => Math.abs(editor.timeline.x(edge) - x) <= REACH_PX),
    );
    return only < 0
      ? null
      : {
          t: [editor.list[only].start_s, editor.list[only].end_s].sort(
            (a, b) => Math.abs(editor.timeline.x(a) - x) - Math.abs(editor.timeline.x(b) - x),
          )[0],
          only,
        };
  };
  return {
    name: "own",
    get label() {
      return editor.deciding ? "Decided" : `${editor.author}: ${editor.kind}`;
    },
    height: () => ROW * rows().count + 2,
    draw(g, at) {
      const { list, player } = editor,
        { rows: row } = rows(),
        here = segmentAt(list, player.time),
        wrong = new Set(editor.wrong.map((one) => one.k));
      if (!list.length) {
        g.fillStyle = at.colour("--ink-3");
        g.fillText(cut(g, editor.hint, at.width - 12), at.left + 6, at.top + at.height / 2 + 4);
      }
      list.forEach((one, k) =>
        drawBar(g, at, one, {
          colour: colourOf(editor, one.label),
          y: at.top + 3 + ROW * row[k],
          height: ROW - 5,
          strong: k === here,
          bad: wrong.has(k),
        }),
      );
      const active = editor.activeBoundary;
      for (const t of boundaries(list)) {
        const on = t === active;
        g.fillStyle = at.colour(on ? "--accent" : "--ink-2");
        g.fillRect(at.x(t) - (on ? 1.5 : 0.5), at.top + 1, on ? 3 : 1, at.height - 2);
      }
    },
    down(event) {
      const edge = editor.mayEdit && edgeAt(event, this);
      if (!edge) return null;
      const before = editor.history.now,
        how = { ...editor.how, only: edge.only };
      let moved = { list: before, at: edge.t };
      editor.player.pause();
      return {
        move({ time }) {
          moved = move(before, edge.t, editor.onFrame(time), how);
          editor.history.show(moved.list);
          editor.player.seekTime(Math.min(moved.at, editor.player.timeAt(editor.player.frames - 1)));
          editor.timeline.redraw();
        },
        up() {
          editor.history.close(before);
          editor.changed();
        },
      };
    },
    over(event) {
      const edge = editor.mayEdit && edgeAt(event, this),
        one = editor.list[segmentAt(editor.list, event.time)];
      const tip = one && `${one.label}${one.object ? ` · ${one.object}` : ""}, ${spanOf(one)}`;
      return edge ? { cursor: "ew-resize", tip } : one && { cursor: "pointer", tip };
    },
  };
}
