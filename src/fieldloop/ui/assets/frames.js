// Frames of one camera, exact by number. openFrames(address, camera) gives a source:
//   times      Float64Array, when each frame lies, in seconds from the episode's start
//   draw(n)    resolves with the picture of exactly frame n (something drawImage takes); rejects with a plain Error
//   near(n, step)  decodes on behind frame n while there is time, so that playing and stepping are smooth
//   destroy()
// PacketFrames decodes the file's own packets with WebCodecs; PictureFrames fetches frame by frame what the server
// decoded, and is the way out where the browser lacks the codec, the page is not on https or localhost, or a clip is
// odd.
const BLOCK = 1 << 20,
  MOST_BLOCKS = 96,
  KEPT_BYTES = 96 << 20,
  LATE_MS = 4000,
  DEEPEST_REORDER = 17,
  USUAL_REORDER = 2,
  AHEAD = 8;

export async function openFrames(address, camera, { engine = "auto" } = {}) {
  const base = `${address}/cameras/${camera.number}`;
  const answer = await fetch(base);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "The frames cannot be opened.");
  const index = await answer.json(), times = Float64Array.from(index.times_s);
  const pictures = new PictureFrames(base, times, camera);
  const why = engine === "pictures" ? "asked for" : await whyNotPackets(index.packets, camera);
  if (!why) {
    const packets = new PacketFrames(base, times, index.packets, camera, pictures);
    try {
      await packets.prove();
      return packets;
    } catch (error) {
      packets.destroy();
      pictures.word = `decoded by the server: ${error.message}`;
    }
  } else if (camera.packets) pictures.word = `decoded by the server: ${why}`;
  await pictures.draw(0); // a clip that gives no first frame states so at once
  return pictures;
}

async function whyNotPackets(packets, camera) {
  if (!packets) return camera.why_not || "no packets";
  if (!("VideoDecoder" in self))
    return self.isSecureContext ? "this browser has no WebCodecs" : "WebCodecs needs https or localhost";
  const known = await VideoDecoder.isConfigSupported(configOf(packets)).catch(() => null);
  return known?.supported ? "" : `this browser does not decode ${packets.codec}`;
}

function configOf({ codec, description }) {
  // software: frames may be kept as long as we like, and every machine shows the same pixels
  const config = { codec, optimizeForLatency: true, hardwareAcceleration: "prefer-software" };
  if (description) config.description = Uint8Array.from(atob(description), (c) => c.charCodeAt(0));
  return config;
}

// Bytes of a file by ranges: blocks that were fetched stay, the oldest are dropped.
class Ranges {
  #blocks = new Map();
  constructor(url, from, to) { Object.assign(this, { url, from, to }); }
  async bytes(at, size) {
    const first = Math.floor((at - this.from) / BLOCK), last = Math.floor((at + size - 1 - this.from) / BLOCK);
    const blocks = await Promise.all(Array.from({ length: last - first + 1 }, (_, k) => this.#block(first + k)));
    const start = at - this.from - first * BLOCK;
    if (blocks.length === 1) return blocks[0].subarray(start, start + size);
    const out = new Uint8Array(size);
    let put = 0;
    blocks.forEach((block, k) => {
      const part = block.subarray(k ? 0 : start, k ? size - put : start + size);
      out.set(part, put);
      put += part.length;
    });
    return out;
  }
  #block(k) {
    let block = this.#blocks.get(k);
    if (block) this.#blocks.delete(k);
    else {
      const start = this.from + k * BLOCK, stop = Math.min(start + BLOCK, this.to);
      block = fetch(this.url, { headers: { Range: `bytes=${start}-${stop - 1}` } }).then(async (answer) => {
        if (!answer.ok) throw new Error("the file cannot be read");
        return new Uint8Array(await answer.arrayBuffer());
      });
      block.catch(() => this.#blocks.delete(k)); // the next call tries again
    }
    this.#blocks.set(k, block);
    if (this.#blocks.size > MOST_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value);
    return block;
  }
  async ahead() { // the rest of a short clip, one block after the other: a seek need not wait behind many
    if (this.to - this.from > BLOCK * MOST_BLOCKS / 2) return;
    for (let k = 0; k * BLOCK < this.to - this.from; k++)
      if (!this.#blocks.has(k)) await this.#block(k).catch(() => {});
  }
}

// A store of pictures by frame: the least recently used are closed.
class Kept {
  #map = new Map();
  constructor(most) { this.most = most; }
  get(n) { const hit = this.#map.get(n); if (hit) { this.#map.delete(n); this.#map.set(n, hit); } return hit; }
  has(n) { return this.#map.has(n); }
  set(n, picture, keep) {
    this.#map.get(n)?.close(); this.#map.delete(n); this.#map.set(n, picture);
    for (const [f, old] of this.#map) {
      if (this.#map.size <= this.most) break;
      if (f !== keep && f !== n) {
        old.close();
        this.#map.delete(f);
      }
    }
  }
  clear() { for (const picture of this.#map.values()) picture.close(); this.#map.clear(); }
}

const mostKept = ({ width, height }) =>
  Math.max(6, Math.min(128, Math.floor(KEPT_BYTES / (width * height * 1.5 || 1))));

export class PacketFrames {
  engine = "WebCodecs"; word = "";
  #next = -1; // the packet that the decoder gets next; -1: it needs a key frame
  #last = -1; // the last frame it gave; it gives them in the order they are shown
  #turn = Promise.resolve(); // a decoder does one thing after the other
  #want = null; #failed = 0; #gone = false; #latest = null;
  constructor(base, times, packets, camera, instead) {
    Object.assign(this, { base, times, packets, instead });
    this.place = new Map(packets.shown.map((n, i) => [n, i])); // frame -> its packet
    this.reordered = packets.shown.some((n, i, all) => i && n < all[i - 1]);
    this.key = new Uint8Array(packets.sizes.length);
    for (const k of packets.keys) this.key[k] = 1;
    let lo = Infinity, hi = 0;
    packets.positions.forEach((at, i) => { lo = Math.min(lo, at); hi = Math.max(hi, at + packets.sizes[i]); });
    this.file = new Ranges(`${base}/video`, lo, hi);
    this.kept = new Kept(mostKept(camera));
    this.#start();
  }
  async prove() { await this.draw(0, false); this.file.ahead(); }
  #start() {
    this.decoder = new VideoDecoder({ output: (picture) => this.#got(picture), error: (error) => this.#fail(error) });
    this.#reset();
  }
  #reset() { if (this.#next !== -1) this.decoder.reset(); this.decoder.configure(configOf(this.packets));
    this.#next = this.#last = -1; }
  #got(picture) {
    const n = Math.round(picture.timestamp / 1000);
    this.#last = Math.max(this.#last, n);
    if (n < 0 || this.#gone) { picture.close(); return; }
    this.kept.set(n, picture, this.#want?.n);
    if (this.#want?.n === n) this.#settle(null);
  }
  #fail(error) { this.#settle(error); }
  #settle(error) { const want = this.#want; this.#want = null; if (want) { clearTimeout(want.timer);
    if (error) want.no(error); else want.ok(); } }

  draw(n, instead = true) {
    this.#latest = n;
    const hit = this.kept.get(n);
    if (hit) return Promise.resolve(hit);
    if (this.#failed > 2 && instead) return this.instead.draw(n);
    const run = this.#turn.then(async () => {
      try {
        if (!this.kept.has(n)) await this.#decode(n);
        this.#failed = 0;
        return this.kept.get(n);
      } catch (error) {
        if (!instead) throw error;
        if (++this.#failed > 2) this.word = `decoded by the server: ${error.message}`;
        return this.instead.draw(n); // what the browser cannot decode, the server tries
      }
    });
    this.#turn = run.catch(() => {});
    return run;
  }
  #keyFor(n) { // the key frame that frame n is decoded from: stored before it, and shown no later
    const { shown } = this.packets;
    let i = this.place.get(n);
    while (i > 0 && !(this.key[i] && shown[i] <= n)) i--;
    return i;
  }
  async #decode(n) {
    const at = this.place.get(n), end = this.packets.sizes.length;
    if (at === undefined) throw new Error(`frame ${n} has no packet`);
    if (this.decoder.state === "closed") { this.#next = -1; this.#start(); } // a decoder that failed is closed for good
    const from = this.#keyFor(n), coming = n > this.#last;
    let i = this.#next > from && coming ? this.#next : from; // go on from where it is, or begin at the key frame
    if (i === from) this.#reset();
    const shown = new Promise((ok, no) => {
      this.#want = { n, ok, no, timer: setTimeout(() => this.#late(n), LATE_MS) };
    });
    shown.catch(() => {});
    for (const most = Math.min(end - 1, at + (this.reordered ? USUAL_REORDER : 0)); i <= most; i++) await this.#feed(i);
    // frames are shown in another order than they are stored: give the decoder what it still needs, and no more
    for (const most = Math.min(end, at + (this.reordered ? DEEPEST_REORDER : 3)); this.#want && i < most; i++)
      if (await this.#patience(shown)) await this.#feed(i);
    if (this.#want && i >= end) {
      await this.decoder.flush().catch(() => {});
      this.#next = -1;
      if (this.#want) this.#late(n);
    }
    await shown;
  }
  #late(n) { this.#next = -1; this.#fail(new Error(`frame ${n} does not decode`)); if (this.decoder.state !== "closed")
    this.decoder.close(); }
  async #patience(shown) { // is the frame still missing once the decoder has worked on what it has?
    const settled = shown.then(() => {}, () => {});
    for (let k = 0; k < 40 && this.#want && this.decoder.decodeQueueSize; k++)
      await Promise.race([settled, new Promise((r) => setTimeout(r, 2))]);
    if (this.#want) await Promise.race([settled, new Promise((r) => setTimeout(r, this.reordered ? 2 : 25))]);
    return Boolean(this.#want);
  }
  async #feed(i) {
    const { positions, sizes, shown } = this.packets;
    const data = await this.file.bytes(positions[i], sizes[i]);
    if (this.#gone || this.decoder.state !== "configured") throw new Error("the decoder stopped");
    this.decoder.decode(
      new EncodedVideoChunk({ type: this.key[i] ? "key" : "delta", timestamp: shown[i] * 1000, data }),
    );
    this.#next = i + 1;
  }
  near(n, step = 1) { // a few packets more, until something else is asked for
    if (this.#failed > 2) return this.instead.near(n, step);
    if (step < 0) return; // frames before are kept from the way to this one
    const stop = Math.min(this.packets.sizes.length, (this.place.get(n) ?? 0) + AHEAD);
    this.#turn = this.#turn
      .then(async () => {
        while (this.#next > 0 && this.#next < stop && this.#latest === n) await this.#feed(this.#next);
      })
      .catch(() => {});
  }
  destroy() { this.#gone = true; this.kept.clear(); this.#settle(new Error("closed"));
    if (this.decoder.state !== "closed") this.decoder.close(); this.instead?.destroy(); }
}

export class PictureFrames {
  engine = "pictures"; word = "";
  #coming = new Map();
  constructor(base, times, camera) { Object.assign(this, { base, times }); this.kept = new Kept(Math.max(6,
    mostKept(camera) >> 1)); }
  draw(n) {
    const hit = this.kept.get(n);
    if (hit) return Promise.resolve(hit);
    if (!this.#coming.has(n)) this.#coming.set(n, this.#fetch(n).finally(() => this.#coming.delete(n)));
    return this.#coming.get(n);
  }
  async #fetch(n) {
    const answer = await fetch(`${this.base}/frames/${n}`);
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? `Frame ${n} cannot be read.`);
    const picture = await createImageBitmap(await answer.blob()).catch(() => {
      throw new Error(`Frame ${n} does not decode.`);
    });
    this.kept.set(n, picture);
    return picture;
  }
  near(n, step = 1) { for (let k = 1; k <= 3; k++) { const f = n + k * step; if (f >= 0 && f < this.times.length
    && !this.kept.has(f)) this.draw(f).catch(() => {}); } }
  destroy() { this.kept.clear(); }
}
