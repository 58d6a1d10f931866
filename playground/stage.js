/* A card for each FTL with its blocks, and curves of all of them together. */
const stage = (() => {
  "use strict";

  const FIGURES = [
    { name: "hit_ratio", label: "mapping hit ratio", unit: "ratio" },
    { name: "write_amplification", label: "write amplification", unit: "factor" },
    { name: "mean_us", label: "mean response", unit: "us" },
    { name: "p99_us", label: "p99 response", unit: "us" },
  ];
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC6699"], DASHES = [[], [7, 3], [2, 3], [7, 3, 2, 3]];
  let cards = [], charts = [], due = false;

  /* Begins anew for FTLs with these titles; `data` has states and causes with their colours. */
  function begin(titles, data) {
    const { element } = form;
    cards = titles.map((title, at) => {
      const map = element("canvas", { className: "map" }), causes = element("canvas", { className: "causes" });
      map.setAttribute("role", "img");
      map.setAttribute("aria-label", `blocks of ${title}, by what they are and by their share of valid pages`);
      causes.setAttribute("role", "img");
      const cells = FIGURES.map(() => element("td", { textContent: "–" }));
      const rows = FIGURES.map(({ label }, row) => element("tr", {}, element("th", { scope: "row", textContent: label }), cells[row]));
      const at_ = element("p", { className: "quiet", textContent: "waits" });
      const wrong = element("p", { className: "wrong", hidden: true });
      const shares = element("p", { className: "legend" });
      const card = element("article", { className: "ftl" }, element("h3", { textContent: title }), at_, wrong, map,
        element("table", {}, element("tbody", {}, ...rows)), causes, shares);
      card.style.borderTopColor = COLOURS[at];
      const made = { title, card, map, causes, cells, at: at_, wrong, shares, now: null, pages: 1, last: null,
        places: [], values: FIGURES.map(() => []), find: () => null, data };
      map.addEventListener("pointermove", event => pointed(made, event));
      return made;
    });
    document.getElementById("stage").replaceChildren(...cards.map(({ card }) => card));
    drawing.legend(document.getElementById("names"), titles.map((title, at) => [title, COLOURS[at]]));
    charts = FIGURES.map(({ label }) => {
      const canvas = element("canvas"), most = element("span"), requests = element("span");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${label} over the run, of each FTL`);
      const figure = element("figure", {}, element("h3", { textContent: label }),
        element("div", { className: "chart" }, element("span", { className: "range" }, most, element("span", { textContent: "0" })), canvas,
          element("span", { className: "requests" }, element("span", { textContent: "0" }), requests)));
      return { figure, canvas, most, requests };
    });
    document.getElementById("charts").replaceChildren(...charts.map(({ figure }) => figure));
    draw();
  }

  function pointed(card, event) {
    const block = card.now && card.find(event.offsetX, event.offsetY);
    if (block === null || block === undefined) return;
    const name = card.data.states[card.now.state[block]][0];
    document.getElementById("block").textContent =
      `${card.title}, block ${block}: ${name}, ${card.now.valid[block]} of ${card.pages} pages valid.`;
  }

  function frame(at, told) {
    const card = cards[at];
    card.now ??= drawing.blank(told.blocks);
    drawing.change(card.now, told.gaps.length, 0, told.gaps, told.valid, told.states);
    card.pages = told.pages;
    card.last = told;
    if (told.requests) {
      card.places.push(told.requests);
      FIGURES.forEach(({ name }, figure) => card.values[figure].push(told.window[name]));
    }
    later();
  }

  function waits(at, { phase, requests }) {
    const card = cards[at];
    if (!card.last) card.at.textContent = `${phase}: ${results.written(requests, "count")} requests`;
  }

  function wrong(at, text) {
    const card = cards[at];
    card.wrong.textContent = text;
    card.wrong.hidden = false;
    card.at.textContent = "no result";
    card.map.hidden = card.causes.hidden = !card.now;
  }

  /* Draws once before the next picture, however many frames came. */
  function later() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => { due = false; draw(); });
  }

  function draw() {
    for (const card of cards) {
      const { last, now, data } = card;
      if (!last) continue;
      const of = last.of ? ` of ${results.written(last.of, "count")}` : "";
      if (card.wrong.hidden) card.at.textContent = `${results.written(last.requests, "count")}${of} requests, ${results.written(last.time_s, "s")} simulated, ${results.written(last.erases, "count")} erases`;
      FIGURES.forEach(({ name, unit }, row) => { card.cells[row].textContent = results.written(last.so_far[name], unit); });
      card.find = drawing.blocks(card.map, now, card.pages, data.states, 16);
      const parts = data.causes.map(({ key, colour }) => [last.operations[key], colour]);
      const shares = drawing.shares(card.causes, parts);
      const seen = data.causes.flatMap(({ key, name, colour }, cause) => last.operations[key]
        ? [[`${name} ${(100 * shares[cause]).toFixed(0)} %`, colour]] : []);
      drawing.legend(card.shares, seen);
      card.causes.setAttribute("aria-label", `flash operations by cause: ${seen.map(([text]) => text).join(", ")}`);
    }
    const seen = new Set(cards.flatMap(({ now }) => now ? [...now.state] : []));
    const states = cards.length ? cards[0].data.states.filter((_, state) => !state || seen.has(state)) : [];
    drawing.legend(document.getElementById("states"), states);
    const requests = Math.max(1, ...cards.map(({ last }) => last?.of ?? last?.requests ?? 0));
    charts.forEach(({ figure, canvas, most, requests: told }, at) => {
      const known = cards.flatMap(card => card.values[at].filter(value => value !== null));
      figure.hidden = !known.length && cards.some(card => card.places.length > 1);
      const highest = Math.max(0, ...known) || 1;
      most.textContent = known.length ? results.written(highest, FIGURES[at].unit) : "";
      told.textContent = requests > 1 ? `${results.written(requests, "count")} requests` : "";
      drawing.lines(canvas, cards.map((card, ftl) => ({
        places: card.places.map(place => place / requests), values: card.values[at], colour: COLOURS[ftl], dash: DASHES[ftl],
      })), highest);
    });
  }

  return { begin, frame, waits, wrong, draw };
})();
