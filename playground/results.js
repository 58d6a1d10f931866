/* Results as people read them, as `ftlab compare` prints them. */
const results = (() => {
  "use strict";

  const SERIES = new Set(["distributions", "timeline", "samples", "warnings"]);

  const grouped = value => value.toLocaleString("en-US", { maximumFractionDigits: 2, minimumFractionDigits: Number.isInteger(value) ? 0 : 2 });
  const significant = value => value.toFixed(value >= 100 ? 1 : value >= 10 ? 2 : 3);
  const micro = value => value >= 1e6 ? `${significant(value / 1e6)} s` : value >= 1e3 ? `${significant(value / 1e3)} ms` : `${significant(value)} µs`;
  function bytes(value) {
    for (const unit of ["B", "KiB", "MiB", "GiB"]) {
      if (value < 1024) return `${Number(value.toPrecision(4))} ${unit}`;
      value /= 1024;
    }
    return `${Number(value.toPrecision(4))} TiB`;
  }
  function joules(value) {
    for (const [unit, scale] of [["kJ", 1e3], ["J", 1], ["mJ", 1e-3], ["µJ", 1e-6]]) {
      if (value >= scale) return `${significant(value / scale)} ${unit}`;
    }
    return `${significant(1e9 * value)} nJ`;
  }
  const WRITTEN = {
    ratio: value => `${(100 * value).toFixed(2)} %`,
    factor: value => value.toFixed(3),
    us: micro,
    s: value => value < 120 ? micro(1e6 * value) : value < 7200 ? `${(value / 60).toFixed(1)} min` : `${(value / 3600).toFixed(1)} h`,
    bytes,
    J: joules,
    nJ: value => joules(1e-9 * value),
    count: grouped,
  };
  const written = (value, unit) => value === null || value === undefined ? "–"
    : typeof value === "number" ? (WRITTEN[unit] ?? grouped)(value) : String(value);

  /* A value at a path; of counts by name their sum. */
  function find(report, path) {
    const found = path.split(".").reduce((tree, key) => tree?.[key] ?? null, report);
    const parts = found !== null && typeof found === "object" ? Object.values(found) : null;
    return parts && parts.every(Number.isFinite) ? parts.reduce((sum, part) => sum + part, 0) : found;
  }

  /* Columns whose value is the best of several. */
  function best(values, better) {
    const known = values.filter(value => typeof value === "number");
    if (!better || known.length < 2 || new Set(known).size < 2) return new Set();
    const goal = better === "lower" ? Math.min(...known) : Math.max(...known);
    return new Set(values.flatMap((value, at) => value === goal ? [at] : []));
  }

  /* Fills a table with a row for each metric and a column for each FTL. */
  function table(element, headlines, titles, reports) {
    const { element: made } = form;
    const head = made("tr", {}, made("th"), ...titles.map(title => made("th", { scope: "col", textContent: title })));
    const rows = [];
    for (const { label, path, unit, better } of headlines) {
      const values = reports.map(report => find(report, path));
      if (values.every(value => value === null)) continue;
      const marked = best(values, better);
      rows.push(made("tr", {}, made("th", { scope: "row", textContent: label }), ...values.map((value, at) =>
        made("td", { textContent: written(value, unit) + (marked.has(at) ? " *" : ""), className: marked.has(at) ? "best" : "" }))));
    }
    element.replaceChildren(made("caption", { className: "quiet", textContent: "A star marks the best value." }),
      made("thead", {}, head), made("tbody", {}, ...rows));
  }

  /* Scalars by dotted names; a list becomes text, a series is left out. */
  function flat(tree, prefix = "") {
    return Object.entries(tree).flatMap(([key, value]) => {
      const name = prefix + key;
      if (!prefix && SERIES.has(key)) return [];
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return flat(value, `${name}.`);
      return [[name, Array.isArray(value) ? JSON.stringify(value) : value]];
    });
  }

  function csv(reports) {
    const rows = reports.map(report => new Map(flat(report)));
    const names = [...new Set(rows.flatMap(row => [...row.keys()]))];
    const cell = value => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [names, ...rows.map(row => names.map(name => row.get(name)))].map(row => row.map(cell).join(",")).join("\n") + "\n";
  }

  return { written, find, table, csv };
})();
