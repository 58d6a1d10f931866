/* The form: FTLs, the knobs that people turn most, and every setting of the catalogue. */
const form = (() => {
  "use strict";

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  /* Knobs with steps; `when` says for which workloads they count. */
  const of = (...patterns) => settings => !settings["input.trace"] && patterns.includes(settings["workload.pattern"] ?? "rand");
  const generated = settings => !settings["input.trace"];
  const undrawn = settings => generated(settings) && !sketch.read(settings);
  const KNOBS = [
    { key: "workload.pattern", label: "Workload", when: generated },
    { key: "workload.requests", label: "Requests", steps: ["2000", "5000", "10000", "20000", "50000", "100000", "200000", "500000", "1000000"], when: generated },
    { key: "workload.bs", label: "Request size", steps: ["512B", "2KiB", "4KiB", "8KiB", "16KiB", "64KiB", "256KiB"], when: generated },
    { key: "workload.read_share", label: "Reads", steps: ["0%", "10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"], when: undrawn },
    { key: "workload.size", label: "Space in use", steps: ["4MiB", "8MiB", "16MiB", "32MiB", "48MiB", "64MiB", "128MiB", "256MiB", "512MiB"], when: undrawn },
    { key: "workload.zipf_theta", label: "Skew", steps: ["0", "0.3", "0.6", "0.8", "0.9", "1", "1.1", "1.3", "1.6", "2"], when: of("zipf") },
    { key: "workload.hot_share", label: "Hot spot", steps: ["1%", "2%", "5%", "10%", "20%", "30%", "50%"], when: of("hotcold") },
    { key: "workload.hot_access", label: "Requests to the hot spot", steps: ["20%", "50%", "60%", "70%", "80%", "90%", "95%", "99%"], when: of("hotcold") },
    { key: "workload.sequential_rate", label: "Sequential requests", steps: ["0%", "20%", "40%", "60%", "80%", "100%"], when: of("cachftl") },
    { key: "workload.streams", label: "Streams", steps: ["1", "2", "4", "8", "16", "64"], when: of("seq", "read", "write", "rw") },
    { key: "input.requests", label: "Requests", steps: ["2000", "5000", "10000", "20000", "50000", "100000", "200000", "500000"], when: settings => Boolean(settings["input.trace"]) },
    { key: "device.capacity", label: "Device", steps: ["8MiB", "16MiB", "32MiB", "64MiB", "128MiB", "256MiB", "512MiB", "1GiB"], when: () => true },
    { key: "device.over_provisioning", label: "Spare space", steps: ["3%", "5%", "7%", "10%", "15%", "20%", "28%", "40%", "60%", "100%"], when: () => true },
    { key: "device.pages_per_block", label: "Pages of a block", steps: ["8", "16", "32", "64", "128", "256"], when: () => true },
    { key: "ftl.cache", label: "Mapping cache", steps: ["512B", "1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB"], when: () => true },
    { key: "gc.policy", label: "GC picks", when: () => true },
    { key: "run.warmup", label: "Warm-up", choices: ["none", "sequential", "random:1", "random:2", "footprint", "steady-random:5%"], when: () => true },
  ];

  /* Characters of a default that a field has room for. */
  const MOST_SHOWN = 10;

  const plain = text => text.replaceAll("`", "");

  function field(row, value, changed, choices) {
    if (choices || row.kind === "choice" || row.kind === "switch") {
      const names = choices ?? (row.kind === "switch" ? ["false", "true"] : row.values.map(([name]) => name));
      const select = element("select");
      const unset = choices || row.optional ? `default: ${row.default}` : null;
      if (unset && !names.includes(row.default)) select.append(element("option", { value: "", textContent: unset }));
      for (const name of names) select.append(element("option", { value: name, textContent: name }));
      const shown = value ?? (names.includes(row.default) ? row.default : "");
      if (shown && !names.includes(shown)) select.append(element("option", { value: shown, textContent: shown }));
      select.value = shown;
      select.addEventListener("change", () => changed(select.value === row.default ? "" : select.value));
      return select;
    }
    const placeholder = row.default.length > MOST_SHOWN ? "default" : row.default;
    const input = element("input", { type: "text", value: value ?? "", placeholder, title: `default: ${row.default}`, autocomplete: "off", spellcheck: false });
    input.addEventListener("change", () => changed(input.value.trim()));
    return input;
  }

  function knob({ key, label, steps, choices }, row, value, changed) {
    const said = row.range ? `${plain(row.meaning)} ${row.range}.` : plain(row.meaning);
    const input = field(row, value, changed, choices);
    const made = element("label", { className: "knob", title: said }, element("span", { textContent: label }), input);
    made.dataset.key = key;
    if (steps) {
      const at = Math.max(steps.indexOf(value ?? row.default), steps.indexOf((value ?? row.default).replace(/ /g, "")));
      const slider = element("input", { type: "range", min: 0, max: steps.length - 1, value: at < 0 ? steps.length >> 1 : at });
      slider.setAttribute("aria-label", label);
      slider.setAttribute("aria-valuetext", value ?? row.default);
      slider.addEventListener("input", () => {
        input.value = steps[slider.value];
        slider.setAttribute("aria-valuetext", input.value);
      });
      slider.addEventListener("change", () => changed(steps[slider.value]));
      made.append(slider);
    }
    return made;
  }

  function setting(row, value, changed) {
    const input = field(row, value, changed);
    input.setAttribute("aria-label", row.key);
    const said = [plain(row.meaning), row.range && `Range: ${row.range}.`, row.unit && `Unit: ${row.unit}.`];
    const made = element("div", { className: value === undefined ? "setting" : "setting set" },
      element("code", { textContent: row.key }), input,
      element("small", { textContent: said.filter(Boolean).join(" ") }));
    made.dataset.key = `all ${row.key}`;
    return made;
  }

  return { element, KNOBS, knob, setting };
})();
