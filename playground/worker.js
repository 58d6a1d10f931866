/* One run, in a worker of its own: ending the worker ends the run, and a run that broke a rule takes nothing along. The
   first worker compiles the core for all. */
"use strict";

onmessage = ({ data }) => data.core === undefined ? run(data) : load(data);

async function load({ core, bytes }) {
  try {
    postMessage({ module: await WebAssembly.compile(unpack.lzma(unpack.bytes(core), bytes)) });
  } catch (error) {
    postMessage({ error: error.message });
  }
}

async function run({ module, question, trace, seconds }) {
  const begun = performance.now(), deadline = begun + 1000 * seconds;
  const reader = new TextDecoder(), writer = new TextEncoder();
  let memory = null, late = false, told = false;
  const tell = (at, length) => {
    const text = reader.decode(new Uint8Array(memory.buffer, at >>> 0, length >>> 0));
    if (late && text.startsWith('{"error"')) {
      postMessage(JSON.stringify({ error: `stopped after ${seconds} s: take fewer requests, or a smaller device` }));
      return 0;
    }
    told ||= text.startsWith('{"error"');
    postMessage(text);
    late = performance.now() > deadline;
    return late ? 0 : 1;
  };
  try {
    const { exports } = await WebAssembly.instantiate(module, { env: { tell } });
    memory = exports.memory;
    const give = (bytes, room) => {
      const at = room(bytes.length) >>> 0;
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    };
    give(writer.encode(JSON.stringify(question)), exports.room_for_question);
    if (trace) give(trace, exports.room_for_trace);
    exports.ask();
    postMessage(JSON.stringify({ done: performance.now() - begun }));
  } catch (error) {
    // A broken rule has told itself before it ended the instance.
    if (!told) postMessage(JSON.stringify({ error: `the run ended: ${error.message}; it may need more memory than 1 GiB` }));
  }
}
