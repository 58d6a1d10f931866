
"use strict";
const units = { "%": 0.01, "µs": 1e-6, ms: 1e-3, min: 60, h: 3600, KiB: 2 ** 10, MiB: 2 ** 20,
  GiB: 2 ** 30, TiB: 2 ** 40, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9 };
function value(row, column) {
  const text = row.cells[column].textContent.trim();
  const parts = /^(-?[\d,]*\.?\d+)\s*(\S*)$/.exec(text);
  return parts ? parseFloat(parts[1].replaceAll(",", "")) * (units[parts[2]] ?? 1) : text;
}
function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
function sort(table, header, column) {
  const down = header.getAttribute("aria-sort") === "ascending";
  for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1));
  table.tBodies[0].append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    header.tabIndex = 0;
    header.addEventListener("click", () => sort(table, header, column));
    header.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort(table, header, column);
    });
  });
}
for (const toggle of document.querySelectorAll("input[data-rows]")) {
  const table = toggle.closest(".filter").nextElementSibling;
  toggle.addEventListener("change", () => {
    for (const rows of table.querySelectorAll(`tbody.${toggle.dataset.rows}`)) rows.hidden = !toggle.checked;
  });
}
