// Escaping, percent and dates for the modules. Each module needs only an element, so it also runs in a report.
export const text = (value) =>
  String(value).replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c],
  );
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
export const dayOf = (ms) => day.format(ms);
export const minuteOf = (ms) => minute.format(ms);
