/* Six lessons: each has a question that a run answers, and the page marks what is typed against that run. */
const lessons = (() => {
  "use strict";

  const find = results.find;
  const base = { "device.capacity": "16MiB", "workload.size": "16MiB", "workload.requests": "20000", "run.warmup": "sequential" };
  const of = (reports, ftl) => reports.find(report => report.ftl === ftl);

  /* `answer` takes reports by FTL; `close` is the share by which an answer may differ. `rows` are shown in the table beside
     those of every run. */
  const LESSONS = [
    {
      title: "Why out of place",
      text: "Flash pages cannot be overwritten: a block is erased as a whole. A block-level FTL keeps each page at its place, so a write moves all other pages of the block. A page-level FTL writes the page elsewhere.",
      ftls: ["page", "block"],
      settings: { ...base, "workload.pattern": "rand", "workload.requests": "5000" },
      question: "How many times the erases of page-level does block-level need?",
      answer: by => find(by("block"), "wear.erases_total") / find(by("page"), "wear.erases_total"),
      try: "Change the workload to seq. Why does it help page-level alone?",
    },
    {
      title: "Spare space",
      text: "Garbage collection copies the valid pages of a block before it erases it. The more spare space, the fewer are still valid. Spare space costs money; write amplification costs time and endurance.",
      ftls: ["page"],
      settings: { ...base, "workload.pattern": "rand", "workload.requests": "60000", "device.pages_per_block": "16", "device.over_provisioning": "7%", "run.warmup": "random:1" },
      question: "Turn the spare space to 28 %. What is the write amplification?",
      needs: { "device.over_provisioning": "28%" },
      answer: by => find(by("page"), "write_amplification"),
      try: "Halve the spare space again and again. What does the last step cost?",
    },
    {
      title: "The mapping cache",
      text: "A device with little RAM keeps its page map in flash and caches parts of it. A miss reads a translation page; a dirty entry that leaves writes one. TPFTL groups entries by their translation page and loads neighbours early.",
      ftls: ["page", "dftl", "tpftl"],
      settings: { "input.trace": "financial1", "input.requests": "20000", "device.capacity": "512MiB", "run.address": "modulo", "run.warmup": "sequential", "ftl.cache": "8KiB" },
      question: "By how many percentage points is the hit ratio of TPFTL above that of DFTL?",
      answer: by => 100 * (find(by("tpftl"), "mapping.hit_ratio") - find(by("dftl"), "mapping.hit_ratio")),
      try: "Double the cache again and again. Why does DFTL never reach TPFTL with 8 KiB?",
    },
    {
      title: "Log blocks and merges",
      text: "A log-block FTL has a map of blocks, and a few page-mapped blocks that take writes. When they are full, their pages are merged with those of the data blocks. A switch merge costs an erase; a full merge copies a whole block.",
      ftls: ["bast", "fast"],
      settings: { ...base, "workload.pattern": "rand", "workload.requests": "10000" },
      question: "How many full merges does FAST need?",
      answer: by => find(by("fast"), "merges.full"),
      close: 0,
      rows: [["full merges", "merges.full", "lower"], ["partial merges", "merges.partial", "lower"], ["switch merges", "merges.switch", null]],
      try: "Change the workload to seq. Which merges are left?",
    },
    {
      title: "Hot and cold",
      text: "A page that is written often leaves its block early; a page that is not stays, and GC copies it again and again. If both share blocks, every victim has cold pages. Separation gives them blocks of their own.",
      ftls: ["page", "sepbit"],
      settings: { ...base, "workload.pattern": "hotcold", "workload.hot_share": "10%", "workload.hot_access": "90%", "device.pages_per_block": "16", "workload.requests": "100000", "run.warmup": "random:1" },
      question: "By how many percent is the write amplification of SepBIT below that of page-level?",
      answer: by => 100 * (1 - find(by("sepbit"), "write_amplification") / find(by("page"), "write_amplification")),
      try: "Change the workload to rand. What is left to gain?",
    },
    {
      title: "Power cuts",
      text: "RAM is lost in a power cut. The FTL reads out-of-band areas of pages (OOB) to find its map again, unless checkpoints say most of it. Here power is cut behind the last request, and the FTL is mounted on a copy of the device. Fewer requests cut earlier.",
      ftls: ["page", "dftl"],
      settings: { ...base, "workload.pattern": "zipf", "run.recovery": "true", "device.oob_read": "20us" },
      question: "How many OOB areas does page-level read to mount?",
      answer: by => find(by("page"), "recovery.oob_reads"),
      close: 0,
      rows: [["OOB areas read to mount", "recovery.oob_reads", "lower"], ["pages read to mount", "recovery.page_reads", "lower"]],
      try: "Set device.checkpoint to 4096. What does a mount read then, and what does a checkpoint cost?",
    },
  ];

  const stateOf = number => {
    const { ftls, settings } = LESSONS[number - 1];
    return { ftls: [...ftls], settings: { ...settings }, lesson: number };
  };

  /* The rows of a lesson as the table takes them. */
  const rows = number => (LESSONS[number - 1]?.rows ?? [])
    .map(([label, path, better]) => ({ label, path, unit: "count", better }));

  let shown = null, right = null;

  function show(number, begin) {
    const { element } = form;
    document.getElementById("lessons").replaceChildren(...LESSONS.map(({ title }, at) => {
      const button = element("button", { type: "button", textContent: `${at + 1} ${title}` });
      button.setAttribute("aria-current", at + 1 === number);
      button.addEventListener("click", () => begin(stateOf(at + 1)));
      return button;
    }));
    const section = document.getElementById("lesson");
    section.hidden = !LESSONS[number - 1];
    shown = right = null;
    if (section.hidden) { section.replaceChildren(); return; }
    const lesson = LESSONS[number - 1];
    const input = element("input", { type: "text", inputMode: "decimal", id: "answer", autocomplete: "off" });
    const mark = element("p", { className: "mark", id: "mark" });
    mark.setAttribute("role", "status");
    const ask = element("button", { type: "submit", textContent: "Check" });
    const question = element("form", {}, element("label", {}, lesson.question + " ", input), " ", ask);
    question.addEventListener("submit", event => { event.preventDefault(); judge(input.value, mark); });
    section.replaceChildren(element("h2", { textContent: `${number} ${lesson.title}` }), element("p", { textContent: lesson.text }),
      question, mark, element("p", { className: "quiet", textContent: `Then: ${lesson.try}` }));
    shown = { number, lesson, missing: "Run it first." };
  }

  /* Takes the result of what was asked, if it is a run of the lesson. */
  function mark(asked, reports) {
    if (!shown || shown.number !== asked.lesson) return;
    right = null;
    const { lesson } = shown, { settings } = asked;
    const lacking = lesson.ftls.filter(ftl => !of(reports, ftl));
    const unmet = Object.entries(lesson.needs ?? {}).filter(([key, text]) => (settings[key] ?? "").replaceAll(" ", "") !== text);
    const changed = Object.entries(lesson.settings).filter(([key, text]) => !(key in (lesson.needs ?? {})) && settings[key] !== text);
    const added = Object.keys(settings).filter(key => !(key in lesson.settings) && !(key in (lesson.needs ?? {})));
    shown.missing = lacking.length ? `This run lacks ${lacking.join(", ")}.`
      : unmet.length ? `The question is about ${unmet.map(([key, text]) => `${key} = ${text}`).join(", ")}.`
        : changed.length + added.length || asked.trace ? "The settings are not those of the question: begin the lesson again." : null;
    if (shown.missing === null) right = lesson.answer(ftl => of(reports, ftl));
  }

  function judge(text, element) {
    const said = Number(text.replace(/[,\s%×]/g, ""));
    if (shown.missing !== null) { element.textContent = shown.missing; return; }
    if (!text.trim() || !Number.isFinite(said)) { element.textContent = "Type a number."; return; }
    const close = (shown.lesson.close ?? 0.02) * Math.abs(right);
    element.textContent = Math.abs(said - right) <= close + 1e-9
      ? `Right: the run says ${Number(right.toPrecision(4))}. Hand in: lesson ${shown.number}, ${said}.`
      : "Not what the run says. Look at the table again.";
  }

  return { LESSONS, rows, show, mark, right: () => right };
})();
