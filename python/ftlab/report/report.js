
"use strict";
for (const toggle of document.querySelectorAll("input[data-rows]")) {
  const table = toggle.closest(".filter").nextElementSibling;
  toggle.addEventListener("change", () => {
    for (const rows of table.querySelectorAll(`tbody.${toggle.dataset.rows}`)) rows.hidden = !toggle.checked;
  });
}
