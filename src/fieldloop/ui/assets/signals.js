// Signals of an episode: read as arrays, and thinned to the lowest and highest value of each pixel column.
const STEP = 16;

// The unit of a signal; one that the reader of the log assumed says so.
export const isAssumed = (signal) => Boolean(signal.unit) && signal.unit_from === "assumed";
export const writeUnit = (signal) => (isAssumed(signal) ? `${signal.unit} (assumed)` : signal.unit);

export async function readSignal(view, signal) {
  signal.read ??= fetch(`${view.address}/signals/${signal.number}`).then(async (answer) => {
    if (!answer.ok) throw new Error("This signal cannot be read.");
    const bytes = await answer.arrayBuffer(), n = signal.sent;
    const times = new Float64Array(bytes, 0, n);
    return {
      times,
      columns: signal.columns.map((name, k) => new Column(name, new Float32Array(bytes, 8 * n + 4 * n * k, n))),
    };
  });
  return signal.read;
}

// The values of one column with their lowest and highest in blocks of 16, 256, … rows.
export class Column {
  constructor(name, values) {
    Object.assign(this, { name, values });
    this.levels = [];
    let low = values, high = values;
    while (low.length > STEP) {
      const n = Math.ceil(low.length / STEP), lows = new Float32Array(n), highs = new Float32Array(n);
      for (let b = 0; b < n; b++) {
        let lo = Infinity, hi = -Infinity;
        for (let i = b * STEP, end = Math.min(i + STEP, low.length); i < end; i++) {
          if (low[i] < lo) lo = low[i];
          if (high[i] > hi) hi = high[i];
        }
        lows[b] = lo; highs[b] = hi;
      }
      this.levels.push({ lows, highs });
      low = lows; high = highs;
    }
    [this.lo, this.hi] = this.extent(0, values.length);
  }
  // Lowest and highest of rows from … to-1, by whole blocks where possible; what is not finite is passed over.
  extent(from, to) {
    let lo = Infinity, hi = -Infinity, level = -1;
    const take = (a, b) => { if (a < lo) lo = a; if (b > hi) hi = b; };
    const at = (k, i) =>
      k < 0 ? take(this.values[i], this.values[i]) : take(this.levels[k].lows[i], this.levels[k].highs[i]);
    for (; from < to; level++, from /= STEP, to /= STEP) {
      const whole = level + 1 < this.levels.length;
      while (from < to && (!whole || from % STEP)) at(level, from++);
      while (from < to && to % STEP) at(level, --to);
    }
    return [lo, hi];
  }
}

// For each pixel column between two times: lowest, highest, first and last value; one path that hides no peak.
export function thin(times, column, from, to, width) {
  const out = [], n = times.length, per = (to - from) / width;
  let i = Math.max(0, lowerBound(times, from) - 1);
  const end = Math.min(n, lowerBound(times, to) + 1);
  if (end - i <= 2 * width) { for (; i < end; i++) out.push((times[i] - from) / per, column.values[i]); return out; }
  for (let x = 0; x < width && i < end; x++) {
    const stop = Math.min(end, Math.max(i, lowerBound(times, from + (x + 1) * per)));
    if (stop === i) continue;
    const [lo, hi] = column.extent(i, stop);
    out.push(x, column.values[i], x + 0.3, lo, x + 0.6, hi, x + 0.9, column.values[stop - 1]);
    i = stop;
  }
  return out;
}

export function lowerBound(times, t) { // the first index whose time is not before t
  let lo = 0, hi = times.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (times[mid] < t) lo = mid + 1; else hi = mid; }
  return lo;
}
