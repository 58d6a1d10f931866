// Answers questions with the module, as the page does: one for each line of standard input, each in a new instance. A
// line has the question as text, whose numbers may be beyond those of JavaScript, and the trace.
import { readFileSync, writeSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const questions = readFileSync(0, "utf8").split("\n").filter(Boolean);
const say = text => { for (let left = Buffer.from(text + "\n"); left.length;) left = left.subarray(writeSync(1, left)); };

for (const line of questions) {
  const [question, trace] = JSON.parse(line);
  let memory;
  const tell = (at, length) => { say(Buffer.from(memory.buffer, at >>> 0, length >>> 0).toString()); return 1; };
  const { exports } = new WebAssembly.Instance(module, { env: { tell } });
  memory = exports.memory;
  const give = (bytes, room) => {
    const at = room(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  };
  give(Buffer.from(question), exports.room_for_question);
  if (trace) give(Buffer.from(trace), exports.room_for_trace);
  try { exports.ask(); } catch (error) { if (!(error instanceof WebAssembly.RuntimeError)) throw error; }
  say("");
}
