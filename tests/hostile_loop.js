/* Each case is asked of the module. Behind the scripts of the page, `hostile`, and `data`: what the page knows. */
import { readFileSync } from "node:fs";

const [path, cases, seed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const module = new WebAssembly.Module(readFileSync(path));
const rows = new Map(data.settings.map(row => [row.key, row]));
const kinds = new Map(data.settings.map(row => [row.key, row.kind]));
const obeys = new Map(data.ftls.map(ftl => [ftl.name, ftl.settings]));
// Calls after which the page stops a run, and instances that are used again.
const FEW = 300, MOST_TOLD = 8, MOST_USES = 100, MOST_BYTES = 2 ** 30;
const found = { cases, reports: 0, errors: 0, stopped: 0, broken: 0, memory: 0, longest_ms: 0, wrong: [] };
let made = null, uses = 0;

function instance() {
  if (made && uses++ < MOST_USES) return made;
  uses = 0;
  made = { told: [], memory: null };
  const own = made;
  const tell = (at, length) => {
    own.told.push(new TextDecoder().decode(new Uint8Array(own.memory.buffer, at >>> 0, length >>> 0)));
    return own.told.length < MOST_TOLD ? 1 : 0;
  };
  own.exports = new WebAssembly.Instance(module, { env: { tell } }).exports;
  own.memory = own.exports.memory;
  return made;
}

function asked(question, bytes) {
  const own = instance(), begun = performance.now();
  own.told.length = 0;
  const give = (given, room) => {
    const at = room(given.length) >>> 0;
    new Uint8Array(own.memory.buffer, at, given.length).set(given);
  };
  give(new TextEncoder().encode(JSON.stringify(question)), own.exports.room_for_question);
  if (bytes) give(bytes, own.exports.room_for_trace);
  let trap = null;
  try { own.exports.ask(); } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    [trap, made] = [error.message, null];
  }
  found.memory = Math.max(found.memory, own.memory.buffer.byteLength);
  found.longest_ms = Math.max(found.longest_ms, Math.round(performance.now() - begun));
  return [own.told, trap];
}

for (let at = 0; at < cases; at++) {
  const drawn = seed * 1000003 + at, dropped = at % 2 === 1;
  const file = dropped ? hostile.file(drawn) : null;
  const fragment = dropped && at % 4 === 1 ? "" : hostile.address(drawn, data);
  const say = (what) => { if (found.wrong.length < 10) found.wrong.push([drawn, what]); };
  try {
    const now = state.read(`#${fragment}`, rows);
    if (now.ftls.length < 1 || now.ftls.length > state.MOST_FTLS) say("FTLs");
    if (file) { delete now.settings["input.trace"]; delete now.settings["device.capacity"]; }
    const config = state.config(state.obeyed(now, obeys), kinds);
    // A million requests are the default, and take most of a minute for a hundred cases.
    if (file || config.input?.trace) (config.input ??= {}).requests ??= FEW;
    else (config.workload ??= {}).requests ??= FEW;
    commands.line(now, file && file.name);
    commands.python(now, config, file && file.name);
    sketch.read(now.settings);
    const [told, trap] = asked({ ftl: now.ftls[0], config, every: 1000, trace: file && file.name }, file && file.bytes);
    const last = told.at(-1) ?? "", answer = last ? JSON.parse(last) : {};
    if (told.length >= MOST_TOLD) found.stopped += 1;
    if (answer.report) found.reports += 1;
    else if (typeof answer.error === "string") {
      found.errors += 1;
      if (/[\n\r\0]/.test(answer.error) || !answer.error || answer.error.length > 8000) say(answer.error.slice(0, 300));
      if (trap) { found.broken += 1; say(`a broken rule: ${answer.error.slice(0, 300)}`); }
    } else say(`no answer: ${trap}, ${last.slice(0, 200)}`);
    if (found.memory > MOST_BYTES) say(`${found.memory} bytes`);
  } catch (error) {
    say(String(error.stack).slice(0, 300));
  }
  if (process.stderr.isTTY && at % 1000 === 0) process.stderr.write(`\r${at}`);
}
process.stdout.write(JSON.stringify(found));
