/* Runs: one worker for each FTL, one fewer at once than the machine has cores. */
const runs = (() => {
  "use strict";

  const SECONDS = 120;
  let module = null, script = null, working = [];

  /* A worker compiles the core, so that the page answers meanwhile. */
  async function load(core, bytes, text) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address);
    try {
      module = await new Promise((done, failed) => {
        worker.onmessage = ({ data }) => data.module ? done(data.module) : failed(new Error(data.error));
        worker.onerror = event => failed(new Error(event.message || "no worker begins"));
        worker.postMessage({ core, bytes });
      });
    } finally {
      worker.terminate();
    }
    script = address;
  }

  function stop() {
    for (const { worker, ended } of working) {
      worker?.terminate();
      ended();
    }
    working = [];
  }

  /* Asks each question; `told(at, what)` hears progress, frames and the report of each. Resolves when all have ended. */
  async function all(questions, trace, told) {
    stop();
    const mine = questions.map(() => ({ worker: null, ended: () => {}, over: false }));
    working = mine;
    const one = at => new Promise(ended => {
      if (working !== mine) { ended(); return; }
      const worker = new Worker(script);
      const end = () => { worker.terminate(); ended(); };
      Object.assign(mine[at], { worker, ended: end });
      worker.onmessage = ({ data }) => {
        if (working !== mine) return;
        const what = JSON.parse(data);
        told(at, what);
        if (what.done !== undefined || what.error !== undefined) end();
      };
      worker.onerror = event => { told(at, { error: event.message || "the worker could not begin" }); end(); };
      worker.postMessage({ module, question: questions[at], trace, seconds: SECONDS });
    });
    let next = 0;
    const lane = async () => { while (next < questions.length) await one(next++); };
    const lanes = Math.max(1, Math.min(questions.length, (navigator.hardwareConcurrency || 2) - 1));
    await Promise.all(Array.from({ length: lanes }, lane));
    return working === mine;
  }

  return { load, ready: () => script !== null, all, stop };
})();
