/* A workload as a drawing. Across is the device, up are the requests: a sequential layer, one that goes anywhere in the
   space, and on top one that goes to the hot spot. Beside them is the share that reads. What is drawn is told by
   `workload.parts`, so the command line can do the same. */
const sketch = (() => {
  "use strict";

  const WIDTH = 400, HEIGHT = 160, COLUMN = 26, GAP = 14;
  const FIRST = { sequential: 20, hot: 60, begin: 20, end: 40, reads: 30, used: 100 };
  const STEPS = 32;
  const SLIDERS = [
    { key: "used", label: "Space in use", least: 100 / STEPS, step: 100 / STEPS },
    { key: "hot", label: "Requests to the hot spot" },
    { key: "begin", label: "Hot spot begins at" },
    { key: "end", label: "Hot spot ends at" },
    { key: "sequential", label: "Sequential requests" },
    { key: "reads", label: "Reads" },
  ];

  const KIB = { B: 1 / 1024, KIB: 1, MIB: 1024, GIB: 1024 ** 2, TIB: 1024 ** 3 };
  function kib(text) {
    const found = /^(\d+(?:\.\d+)?)\s*([KMGT]?i?B?)$/i.exec(text?.trim() ?? "");
    const unit = found && found[2].toUpperCase().replace(/^([KMGT])B?$/, "$1IB");
    return found ? Number(found[1]) * (KIB[unit || "B"] ?? NaN) : NaN;
  }

  const percent = text => /^\d+(\.\d+)?%$/.test(text ?? "0%") ? Number.parseFloat(text ?? "0%") : NaN;

  /* Layers that a text tells, or null where it tells something that is not drawn so. */
  function layers(text) {
    const found = { sequential: 0, hot: 0, begin: FIRST.begin, end: FIRST.end };
    let anywhere = 0;
    for (const part of (text ?? "").split(";")) {
      const said = /^ *(\d+) (seq|rand) (\d+)-(\d+) 0 *$/.exec(part);
      if (!said) return null;
      const [share, begin, end] = [said[1], said[3], said[4]].map(Number), whole = begin === 0 && end === 100;
      if (whole && said[2] === "seq" && !found.sequential) found.sequential = share;
      else if (whole && said[2] === "rand" && !anywhere) anywhere = share;
      else if (!whole && said[2] === "rand" && begin < end && end <= 100 && !found.hot) Object.assign(found, { hot: share, begin, end });
      else return null;
    }
    return found.sequential + found.hot + anywhere === 100 ? found : null;
  }

  /* The drawing of settings, or null where they tell another workload. */
  function read(settings) {
    if (settings["input.trace"] || settings["workload.pattern"] !== "parts" || settings["workload.fill"] !== "false") return null;
    const found = layers(settings["workload.parts"]), reads = percent(settings["workload.read_share"]);
    const size = kib(settings["workload.size"]), device = kib(settings["device.capacity"]);
    if (!found || !(reads <= 100)) return null;
    const used = 100 * size / device;
    return { ...found, reads, used: used > 0 && used <= 100 ? used : 100, device };
  }

  /* The settings of a drawing on a device of `capacity`. */
  function written(drawn, capacity) {
    const { sequential, hot, begin, end, reads, used } = drawn, anywhere = 100 - sequential - hot;
    const parts = [
      sequential && `${sequential} seq 0-100 0`,
      hot && `${hot} rand ${begin}-${end} 0`,
      anywhere && `${anywhere} rand 0-100 0`,
    ];
    const told = { "workload.pattern": "parts", "workload.parts": parts.filter(Boolean).join("; "), "workload.fill": "false", "workload.read_share": `${reads}%` };
    const size = Math.round(kib(capacity) * used / 100);
    if (size > 0) told["workload.size"] = size % 1024 ? `${size}KiB` : `${size / 1024}MiB`;
    return told;
  }

  /* What a person begins with: a hot spot that is in the settings, or one to play with. */
  function first(settings) {
    const share = percent(settings["workload.hot_share"] ?? "20%"), access = percent(settings["workload.hot_access"] ?? "80%");
    const reads = Math.round(percent(settings["workload.read_share"])) || 0, drawn = { ...FIRST, reads };
    if (settings["workload.pattern"] !== "hotcold" || !(share < 100 && access <= 100)) return drawn;
    return { ...drawn, sequential: 0, hot: Math.round(access), begin: 0, end: Math.max(1, Math.round(share)) };
  }

  /* The drawing after one of its values was set, with all values in their ranges. */
  function moved(drawn, key, value) {
    const within = (least, most) => Math.min(most, Math.max(least, Math.round(value)));
    const { sequential, hot, begin, end } = drawn;
    switch (key) {
      case "used": return { ...drawn, used: Math.min(STEPS, Math.max(1, Math.round(value * STEPS / 100))) * 100 / STEPS };
      case "hot": return { ...drawn, hot: within(0, 100 - sequential) };
      case "sequential": return { ...drawn, sequential: within(0, 100 - hot) };
      case "begin": return { ...drawn, begin: within(end === 100 ? 1 : 0, end - 1) };
      case "end": return { ...drawn, end: within(begin + 1, begin === 0 ? 99 : 100) };
      case "spot": {
        const at = within(0, 100 - (end - begin));
        return { ...drawn, begin: at, end: at + end - begin };
      }
      default: return { ...drawn, reads: within(0, 100) };
    }
  }

  const SVG = "http://www.w3.org/2000/svg";
  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  let drawn = null, changed = null, picture = null, shapes = {}, sliders = new Map();

  /* Builds the drawing once; `told(settings)` hears what was drawn. */
  function build(place, told) {
    const { element } = form;
    changed = told;
    picture = shape("svg", { viewBox: `0 -4 ${WIDTH + GAP + COLUMN} ${HEIGHT + 8}`, "aria-hidden": "true" });
    for (const name of ["space", "sequential", "anywhere", "hot", "writes", "reads"]) shapes[name] = shape("rect", { class: name });
    shapes.hot.dataset.drag = "spot";
    for (const name of ["sequential", "hot", "begin", "end", "used", "reads"]) {
      shapes[`${name} handle`] = shape("line", { class: "handle" });
      shapes[`${name} grip`] = shape("line", { class: `grip ${["sequential", "hot", "reads"].includes(name) ? "up" : "across"}` });
      shapes[`${name} grip`].dataset.drag = name;
    }
    picture.append(...Object.values(shapes));
    const knobs = SLIDERS.map(({ key, label, least = 0, step = 1 }) => {
      const slider = element("input", { type: "range", min: least, max: 100, step }), said = element("output");
      slider.setAttribute("aria-label", label);
      slider.addEventListener("input", () => { drawn = moved(drawn, key, slider.valueAsNumber); draw(); });
      slider.addEventListener("change", () => changed(drawn));
      sliders.set(key, [slider, said]);
      return element("label", { className: "knob" }, element("span", { textContent: label }), said, slider);
    });
    const parts = [["hot spot", "hot"], ["anywhere", "anywhere"], ["sequential", "sequential"], ["reads", "reads"]];
    const legend = element("p", { className: "legend" }, ...parts.map(([text, name]) => element("span", {}, element("i", { className: name }), text)));
    place.replaceChildren(
      element("figure", {}, picture, element("figcaption", { className: "quiet", textContent: "Across: the device. Up: requests. Drag the edges, or use the sliders." }), legend),
      element("div", { className: "knobs" }, ...knobs));
    drag();
  }

  function drag() {
    let held = null;
    picture.addEventListener("pointerdown", event => {
      const key = event.target.dataset.drag;
      if (!key) return;
      held = { key, from: drawn, at: place(event) };
      picture.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    picture.addEventListener("pointermove", event => {
      if (!held) return;
      const [x, y] = place(event), { key, from, at } = held;
      const along = 100 * x / from.used;
      const value = { used: x, begin: along, end: along, spot: from.begin + 100 * (x - at[0]) / from.used, hot: 100 - y }[key] ?? y;
      drawn = moved(from, key, value);
      draw();
    });
    for (const name of ["pointerup", "pointercancel"]) {
      picture.addEventListener(name, () => {
        if (held) changed(drawn);
        held = null;
      });
    }
  }

  /* Where a pointer is, in percent of the device and of the requests. */
  function place(event) {
    const box = picture.getBoundingClientRect(), scale = (WIDTH + GAP + COLUMN) / box.width;
    return [(event.clientX - box.left) * scale * 100 / WIDTH, 100 - ((event.clientY - box.top) * scale - 4) * 100 / HEIGHT];
  }

  function draw() {
    const { sequential, hot, begin, end, reads, used } = drawn;
    const across = share => WIDTH * share / 100, down = share => HEIGHT * (100 - share) / 100;
    const rect = (name, left, right, low, high) => {
      const box = { x: left, width: Math.max(0, right - left), y: down(high), height: Math.max(0, down(low) - down(high)) };
      for (const [key, value] of Object.entries(box)) shapes[name].setAttribute(key, value);
    };
    const line = (name, x1, y1, x2, y2) => {
      for (const kind of ["handle", "grip"]) {
        for (const [key, value] of Object.entries({ x1, y1, x2, y2 })) shapes[`${name} ${kind}`].setAttribute(key, value);
      }
    };
    const space = across(used), [left, right] = [begin, end].map(share => space * share / 100), top = 100 - hot;
    const column = WIDTH + GAP;
    rect("space", 0, WIDTH, 0, 100);
    rect("sequential", 0, space, 0, sequential);
    rect("anywhere", 0, space, sequential, top);
    rect("hot", left, right, top, 100);
    rect("writes", column, column + COLUMN, reads, 100);
    rect("reads", column, column + COLUMN, 0, reads);
    line("sequential", 0, down(sequential), space, down(sequential));
    line("hot", left, down(top), right, down(top));
    line("begin", left, 0, left, down(top));
    line("end", right, 0, right, down(top));
    line("used", space, 0, space, HEIGHT);
    line("reads", column, down(reads), column + COLUMN, down(reads));
    for (const [key, [slider, said]] of sliders) {
      slider.value = drawn[key];
      said.value = key === "used" && drawn.device > 0 ? results.written(drawn.device * 1024 * used / 100, "bytes") : `${Math.round(drawn[key])} %`;
      slider.setAttribute("aria-valuetext", said.value);
    }
  }

  /* Shows the drawing of settings; false where they have none. */
  function show(settings) {
    drawn = read(settings);
    if (drawn) draw();
    return drawn !== null;
  }

  return { read, written, first, moved, build, show };
})();
