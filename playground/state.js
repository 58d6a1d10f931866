/* What is run, as the address tells it: FTLs, and settings by their keys, as `--set` takes them.

   #ftl=page,dftl&device.capacity=64MiB&workload.pattern=zipf&workload.zipf_theta=0.9

   #start=dftl is that FTL next to page-level, under the settings that the page begins with. */
const state = (() => {
  "use strict";

  const LONGEST = 4000, MOST_FTLS = 4;
  const KEY = /^[a-z0-9-]+\.[a-z0-9_]+$/;

  const START = {
    ftls: ["page", "dftl", "tpftl"],
    settings: {
      "device.capacity": "64MiB",
      "ftl.cache": "8KiB",
      "workload.pattern": "zipf",
      "workload.zipf_theta": "0.9",
      "workload.size": "64MiB",
      "workload.read_share": "30%",
      "workload.requests": "50000",
      "workload.interarrival": "2ms",
      "run.warmup": "sequential",
    },
    lesson: null,
  };

  /* The state that a fragment tells. What is no setting is left out; the core judges values. */
  function read(fragment, keys) {
    const text = fragment.replace(/^#/, "");
    if (!text) return structuredClone(START);
    const found = { ftls: [], settings: {}, lesson: null };
    for (const [key, value] of new URLSearchParams(text.slice(0, LONGEST))) {
      if (key === "start") {
        return { ...structuredClone(START), ftls: [...new Set(["page", value.trim() || "page"])] };
      } else if (key === "ftl") {
        found.ftls = [...new Set(value.split(",").map(name => name.trim()).filter(Boolean))].slice(0, MOST_FTLS);
      } else if (key === "lesson") {
        found.lesson = /^[1-9]$/.test(value) ? Number(value) : null;
      } else if (KEY.test(key) && keys.has(key)) {
        found.settings[key] = value;
      }
    }
    if (!found.ftls.length) found.ftls = START.ftls.slice(0, 1);
    return found;
  }

  function written({ ftls, settings, lesson }) {
    const told = new URLSearchParams();
    if (lesson) told.set("lesson", lesson);
    told.set("ftl", ftls.join(","));
    for (const key of Object.keys(settings).sort()) told.set(key, settings[key]);
    // Commas and slashes need no escape in a fragment, and read better.
    return "#" + told.toString().replace(/%2C/g, ",").replace(/%2F/g, "/");
  }

  /* A value as JSON has it: what reads as a number, a switch or a list is one, all else is text. */
  function value(text, kind) {
    const plain = text.trim();
    if (kind === "switch" && /^(true|false)$/i.test(plain)) return plain.toLowerCase() === "true";
    if ((kind === "count" || kind === "number" || kind === "ratio") && /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(plain)) {
      const number = Number(plain);
      // What JavaScript rounds stays text, which the core refuses.
      return (kind === "count" ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : plain;
    }
    if (plain.startsWith("[")) {
      try { return JSON.parse(plain); } catch { return plain; }
    }
    return plain;
  }

  /* The settings as the tables of a configuration file. */
  function config(settings, kinds) {
    const tree = {};
    for (const [key, text] of Object.entries(settings)) {
      const [section, name] = key.split(".");
      (tree[section] ??= {})[name] = value(text, kinds.get(key));
    }
    return tree;
  }

  /* The settings that one of the FTLs obeys, or that all runs have. `of` gives the keys that each FTL obeys. */
  function obeyed({ ftls, settings }, of) {
    const some = new Set([...of.values()].flat()), here = new Set(ftls.flatMap(name => of.get(name) ?? []));
    return Object.fromEntries(Object.entries(settings).filter(([key]) => !some.has(key) || here.has(key)));
  }

  return { START, MOST_FTLS, read, written, value, config, obeyed };
})();
