// Keys of the annotation page. Keys of the taxonomy come first; Alt is never used, because browsers go back with it.
import { SPEEDS } from "./player.js";

const MOVES = [",", ".", "[", "]", "{", "}", "ArrowLeft", "ArrowRight", "n", "N"]; // keys that may be held down

export function hearKeys(editor) {
  const { player, timeline } = editor;
  const speed = (d) => {
    const k = SPEEDS.reduce(
      (best, s, i) => (Math.abs(s - player.speed) < Math.abs(SPEEDS[best] - player.speed) ? i : best),
      0,
    );
    player.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, k + d))];
  };
  const kind = (d) => {
    const k = editor.kinds.indexOf(editor.kind) + d;
    editor.choose(editor.kinds.at(k % editor.kinds.length));
  };
  const plain = {
    " ": () => player.toggle(), ",": () => player.stepBy(-1), ".": () => player.stepBy(1), Home: () => player.seek(0),
      End: () => player.seek(player.frames - 1),
    "[": () => player.nextBoundary(-1), "]": () => player.nextBoundary(1), "{": () => editor.nudge(-1),
      "}": () => editor.nudge(1),
    Enter: () => editor.boundary(), l: () => editor.loop(), L: () => editor.loop(), s: () => editor.snap(),
      S: () => editor.snap(), 0: () => editor.erase(), Escape: () => editor.lift(),
    a: () => (editor.deciding ? editor.takeFrom("a") : editor.accept()), A: () => (editor.deciding
      ? editor.takeFrom("a", true) : editor.accept(true)), b: () => editor.takeFrom("b"), B: () => editor.takeFrom("b",
        true),
    n: () => editor.nextDifference(1), N: () => editor.nextDifference(-1), Delete: () => editor.merge(),
      Backspace: () => editor.merge(),
    "-": () => speed(-1), "=": () => speed(1), "+": () => speed(1), k: () => kind(1), K: () => kind(-1),
      z: () => { timeline.zoomBy(0.5); editor.save(); }, Z: () => { timeline.showAll(); editor.save(); },
    "?": () => editor.el.querySelector(".lk-keys").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const written = event.getModifierState?.("AltGraph"); // brackets on many keyboards
    if (event.target.closest?.("dialog")) return;
    const control = (event.ctrlKey || event.metaKey) && !written;
    if (control && event.key === "Enter") { event.preventDefault(); editor.submit(); return; }
    if (event.target.closest?.("input, textarea, select")) return;
    if (control && ["z", "Z", "y"].includes(event.key)) {
      event.preventDefault();
      if (event.key === "z" && !event.shiftKey) editor.undo();
      else editor.redo();
      return;
    }
    if (control || (event.altKey && !written)) return;
    const label = editor.labelForKey(event.key);
    const act = label
      ? () => {
          if (!event.repeat) editor.label(label.name);
        }
      : event.key.startsWith("Arrow")
        ? {
            ArrowLeft: () => player.stepBy(event.shiftKey ? -10 : -1),
            ArrowRight: () => player.stepBy(event.shiftKey ? 10 : 1),
          }[event.key]
        : plain[event.key];
    if (act && event.repeat && !MOVES.includes(event.key)) return event.preventDefault();
    if (!act || ([" ", "Enter"].includes(event.key) && event.target.closest?.("button, a, summary"))) return;
    event.preventDefault(); event.stopPropagation(); act();
  });
}
