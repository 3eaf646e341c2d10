// The budget slider over "what to collect next": rows the budget does not reach turn grey. No round trip.
export function mount(el, { table, total }) {
  const rows = [...document.querySelectorAll(`#${table} tbody tr[data-demos]`)];
  el.classList.add("slider");
  el.innerHTML = `<label for="${table}-budget">Budget</label><input id="${table}-budget" type="range" min="0"
    max="${total}" value="${total}"><output></output>`;
  const input = el.querySelector("input"), output = el.querySelector("output");
  const show = () => {
    let left = Number(input.value);
    output.textContent = input.value;
    for (const row of rows) {
      const asked = Number(row.dataset.demos), given = Math.min(asked, left);
      left -= given;
      row.classList.toggle("off", given === 0);
      row.querySelector("[data-given]").textContent = given === asked ? asked : `${given} of ${asked}`;
    }
  };
  input.addEventListener("input", show);
  show();
}
