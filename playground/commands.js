/* The same run on the command line and in Python. */
const commands = (() => {
  "use strict";

  const word = text => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

  /* A `--set` that TOML reads as what the page means. */
  const assigned = ([key, text]) => `--set ${word(`${key}=${text}`)}`;

  /* Settings of the workload that `--workload` takes, which splits at commas, and all others. */
  function parted(settings) {
    const all = Object.entries(settings);
    const own = all.filter(([key, text]) => key.startsWith("workload.") && !/[[,]/.test(text));
    return [own, all.filter(each => !own.includes(each))];
  }

  /* A name that is no option. */
  const file = name => word(name.startsWith("-") ? `./${name}` : name);

  /* `trace` is the name of a dropped file, or null. */
  function line({ ftls, settings }, trace) {
    const [workload, others] = parted(settings);
    const named = trace ?? settings["input.trace"];
    const verb = ftls.length > 1 ? "compare" : "run";
    const parts = [`ftlab ${verb}`];
    if (named) {
      parts[0] += ` ${file(named)}`;
    } else {
      const pattern = settings["workload.pattern"] ?? "rand";
      const keys = workload.filter(([key]) => key !== "workload.pattern");
      parts.push(`--workload ${word([pattern, ...keys.map(([key, text]) => `${key.slice(9)}=${text}`)].join(","))}`);
    }
    parts.push(`--ftl ${word(ftls.join(","))}`);
    parts.push(...others.filter(([key]) => key !== "input.trace").map(assigned));
    return parts.join(" \\\n    ");
  }

  /* A value as Python writes it. */
  function literal(value) {
    if (value === true) return "True";
    if (value === false) return "False";
    if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
    if (value !== null && typeof value === "object") {
      return `{${Object.entries(value).map(([key, each]) => `${literal(key)}: ${literal(each)}`).join(", ")}}`;
    }
    return JSON.stringify(value);
  }

  function python({ ftls }, tree, trace) {
    const { workload = {}, input = {}, ...others } = structuredClone(tree);
    let source = trace ?? input.trace ?? null;
    delete input.trace;
    if (source !== null) {
      source = literal(source);
    } else {
      const { pattern = "rand", ...keys } = workload;
      const told = Object.entries(keys).map(([key, value]) => `, ${key}=${literal(value)}`);
      source = `ftlab.Workload(${literal(pattern)}${told.join("")})`;
    }
    const config = Object.keys(input).length ? { input, ...others } : others;
    return [
      "import ftlab", "",
      `trace = ${source}`,
      `config = ${literal(config)}`,
      ftls.length > 1
        ? `print(ftlab.compare(trace, ${literal(ftls)}, config=config))`
        : `print(ftlab.simulate(trace, ${literal(ftls[0])}, config=config))`,
    ].join("\n");
  }

  return { line, python };
})();
