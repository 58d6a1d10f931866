/* The page: from the address to the form, from the form to runs, and their results below. */
(async () => {
  "use strict";

  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const rows = new Map(data.settings.map(row => [row.key, row]));
  const kinds = new Map(data.settings.map(({ key, kind }) => [key, kind]));
  const obeys = new Map(data.ftls.map(({ name, settings }) => [name, settings]));
  const ftls = new Map(data.ftls.map(ftl => [ftl.name, ftl]));
  const titleOf = name => ftls.get(name)?.title ?? name;

  let now = state.read(location.hash, rows), asked = { ...now, trace: null }, trace = null, reports = [], titles = [];

  // The form.
  const { element } = form;
  function change(key, text) {
    if (text === "") delete now.settings[key]; else now.settings[key] = text;
    // Parts are of that pattern alone.
    if (key === "workload.pattern" && text !== "parts") forgetParts();
    told();
  }

  function forgetParts() {
    delete now.settings["workload.parts"];
    delete now.settings["workload.fill"];
  }

  function drawn(drawing) {
    Object.assign(now.settings, sketch.written(drawing, now.settings["device.capacity"]));
    told();
  }
  sketch.build(byId("sketch"), drawn);
  byId("draw").addEventListener("click", () => drawn(sketch.first(now.settings)));

  function showSketch() {
    byId("sketch").hidden = Boolean(trace) || !sketch.show(now.settings);
    byId("draw").hidden = Boolean(trace) || Boolean(now.settings["input.trace"]) || !byId("sketch").hidden;
  }

  function showFtls() {
    byId("ftls").replaceChildren(...now.ftls.map(name => {
      const chip = element("button", { type: "button", className: "chip", textContent: `${titleOf(name)} ×`, title: ftls.get(name)?.summary ?? "" });
      chip.setAttribute("aria-label", `leave out ${titleOf(name)}`);
      chip.disabled = now.ftls.length === 1;
      chip.addEventListener("click", () => { now.ftls = now.ftls.filter(each => each !== name); told(); });
      return chip;
    }));
    const others = data.ftls.filter(({ name }) => !now.ftls.includes(name));
    byId("add").replaceChildren(element("option", { value: "", textContent: "choose" }),
      ...others.map(({ name, title, summary }) => element("option", { value: name, textContent: `${title}: ${summary}` })));
    byId("add").disabled = now.ftls.length >= state.MOST_FTLS;
  }
  byId("add").addEventListener("change", event => {
    if (event.target.value) { now.ftls.push(event.target.value); told(); }
  });

  function inputKnob() {
    const select = element("select", {}, element("option", { value: "", textContent: trace ? trace.name : "generated" }),
      ...(trace ? [] : data.profiles.map(name => element("option", { value: name, textContent: name }))));
    select.value = trace ? "" : data.profiles.includes(now.settings["input.trace"]) ? now.settings["input.trace"] : "";
    select.disabled = Boolean(trace);
    select.addEventListener("change", () => {
      if (select.value && !now.settings["input.requests"]) now.settings["input.requests"] = "20000";
      if (select.value) forgetParts();
      if (select.value) delete now.settings["device.capacity"]; else delete now.settings["input.requests"];
      change("input.trace", select.value);
    });
    return element("label", { className: "knob", title: "Generated requests, a profile of a published trace, or a file of yours." },
      element("span", { textContent: "Input" }), select);
  }

  function showKnobs() {
    const judged = trace ? { ...now.settings, "input.trace": trace.name } : now.settings;
    const counts = ({ key, when }) => when(judged) && key in state.obeyed({ ftls: now.ftls, settings: { [key]: "" } }, obeys);
    keepFocus(() => byId("knobs").replaceChildren(inputKnob(), ...form.KNOBS.filter(counts).map(knob =>
      form.knob(knob, rows.get(knob.key), now.settings[knob.key], text => change(knob.key, text)))));
  }

  /* A knob that is turned with keys is made anew at each step, and stays in focus. */
  function keepFocus(remake) {
    const focused = document.activeElement, key = focused?.closest("[data-key]")?.dataset.key;
    remake();
    if (key) document.querySelector(`[data-key="${CSS.escape(key)}"] ${focused.type === "range" ? "[type=range]" : "input, select"}`)?.focus();
  }

  function showSettings() {
    if (!byId("all").open) return;
    const sought = byId("find").value.trim().toLowerCase();
    // An FTL has settings of its own and obeys some of those that several have.
    const own = new Set(now.ftls.flatMap(name => ftls.get(name)?.settings ?? []));
    const shown = data.settings.filter(row => {
      if (sought) return `${row.key} ${row.meaning}`.toLowerCase().includes(sought);
      return own.has(row.key) || row.key in now.settings || !row.own;
    });
    keepFocus(() => byId("settings").replaceChildren(...shown.map(row => form.setting(row, now.settings[row.key], text => change(row.key, text)))));
  }
  byId("all").addEventListener("toggle", showSettings);
  byId("find").addEventListener("input", showSettings);

  /* After any change: the address, the form and the commands say the same. */
  function told(write = true) {
    if (write) history.replaceState(null, "", state.written(now));
    showFtls();
    showKnobs();
    showSketch();
    showSettings();
    const file = trace && trace.name;
    const meant = { ...now, settings: state.obeyed(now, obeys) };
    byId("line").textContent = commands.line(meant, file);
    byId("python").textContent = commands.python(meant, state.config(meant.settings, kinds), file);
    byId("drop").hidden = !trace;
    compared();
  }

  /* Says whether results are of what the form says now. */
  function compared() {
    const same = state.written(now) === state.written(asked) && (trace && trace.name) === asked.trace;
    byId("stale").hidden = same || !reports.length;
  }

  // Runs.
  async function run() {
    if (!runs.ready()) return;
    // The form stays open, and results are of what was asked.
    asked = { ...structuredClone(now), trace: trace && trace.name };
    byId("stale").hidden = true;
    const config = state.config(state.obeyed(now, obeys), kinds);
    if (trace) delete config.input?.trace;
    const names = [...now.ftls];
    titles = names.map(titleOf);
    reports = names.map(() => null);
    stage.begin(titles, data);
    byId("stop").disabled = false;
    byId("csv").disabled = byId("json").disabled = true;
    byId("warnings").hidden = true;
    byId("results").replaceChildren(element("caption", { className: "quiet", textContent: "Running." }));
    document.body.dataset.run = "going";
    const begun = performance.now();
    let wrong = 0;
    const questions = names.map(ftl => ({ ftl, config, every: null, trace: asked.trace }));
    const whole = await runs.all(questions, trace && trace.bytes, (at, what) => {
      if (what.frame) stage.frame(at, what.frame);
      else if (what.phase) stage.waits(at, what);
      else if (what.report) reports[at] = what.report;
      else if (what.error) { wrong += 1; stage.wrong(at, what.error); }
    });
    if (!whole) return;
    byId("stop").disabled = true;
    byId("progress").textContent = wrong === names.length ? "No FTL has a result."
      : `Done in ${((performance.now() - begun) / 1000).toFixed(1)} s.`;
    show();
    document.body.dataset.run = wrong ? "wrong" : "done";
  }

  function show() {
    const known = reports.flatMap((report, at) => report ? [[titles[at], report]] : []);
    byId("csv").disabled = byId("json").disabled = !known.length;
    if (!known.length) {
      byId("results").replaceChildren(element("caption", { className: "quiet", textContent: "No result." }));
      lessons.mark(asked, []);
      return;
    }
    results.table(byId("results"), [...data.headlines, ...lessons.rows(asked.lesson)], known.map(([title]) => title), known.map(([, report]) => report));
    const warned = new Map();
    for (const [title, { warnings }] of known) {
      for (const text of warnings) warned.set(text, [...(warned.get(text) ?? []), title]);
    }
    byId("warnings").replaceChildren(...[...warned].map(([text, names]) => element("li", { textContent: `${names.join(", ")}: ${text}` })));
    byId("warnings").hidden = !warned.size;
    lessons.mark(asked, known.map(([, report]) => report));
  }

  byId("form").addEventListener("submit", event => { event.preventDefault(); run(); });
  byId("stop").addEventListener("click", () => {
    runs.stop();
    byId("stop").disabled = true;
    byId("progress").textContent = "Stopped.";
    show();
    document.body.dataset.run = "stopped";
  });
  byId("reset").addEventListener("click", () => { now = structuredClone(state.START); forget(); begin(); run(); });

  // A trace of one's own stays in the page.
  const MOST_BYTES = 64 << 20;
  async function take(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      byId("progress").textContent = `${file.name}: found ${results.written(file.size, "bytes")}, expected at most 64 MiB; the command takes any size.`;
      return;
    }
    trace = { name: file.name.slice(0, 200), bytes: new Uint8Array(await file.arrayBuffer()) };
    delete now.settings["input.trace"];
    delete now.settings["device.capacity"];
    told();
    run();
  }
  /* The same file can be chosen again. */
  function forget() {
    trace = null;
    byId("file").value = "";
  }
  byId("file").addEventListener("change", event => take(event.target.files[0]));
  byId("drop").addEventListener("click", () => { forget(); told(); });
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => { event.preventDefault(); take(event.dataTransfer.files[0]); });

  // Downloads.
  function download(name, text, type) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const have = () => reports.filter(Boolean);
  byId("csv").addEventListener("click", () => download("ftlab.csv", results.csv(have()), "text/csv"));
  byId("json").addEventListener("click", () => {
    const told = have();
    download("ftlab.json", JSON.stringify(told.length > 1 ? told : told[0], null, 2) + "\n", "application/json");
  });
  byId("link").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      byId("progress").textContent = trace ? "Copied; the trace is not in the link." : "Copied.";
    } catch {
      byId("progress").textContent = "The link is the address of this page.";
    }
  });

  function begin() {
    document.body.dataset.lesson = now.lesson ?? "";
    lessons.show(now.lesson, lesson => { now = lesson; forget(); begin(); run(); });
    told();
  }
  addEventListener("hashchange", () => { now = state.read(location.hash, rows); forget(); begin(); run(); });
  addEventListener("resize", stage.draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", stage.draw);

  begin();
  try {
    const core = byId("core");
    await runs.load(core.textContent, Number(core.dataset.bytes), byId("worker").textContent);
  } catch (error) {
    byId("problem").textContent = `This browser cannot run the page (${error.message}); any of 2023 or later can.`;
    byId("problem").hidden = false;
    return;
  }
  run();
})();
