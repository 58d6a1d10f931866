
(async () => {
  const byId = id => document.getElementById(id);
  const told = JSON.parse(byId("run").textContent);
  if (!("DecompressionStream" in window)) { byId("problem").hidden = false; return; }

  async function inflated(text) {
    const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }
  const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array };
  async function column(name) {
    const { type, data } = told.columns[name];
    return new ARRAYS[type](await inflated(data));
  }
  const [counts, gaps, valids, kinds] = await Promise.all(["counts", "gaps", "valid", "states"].map(column));
  const frames = JSON.parse(new TextDecoder().decode(await inflated(told.frames)));

  // The blocks at a frame; going back begins at the start again.
  const now = { frame: -1, change: 0, ...drawing.blank(told.blocks) };
  function go(frame) {
    if (frame < now.frame) Object.assign(now, { frame: -1, change: 0, ...drawing.blank(told.blocks) });
    while (now.frame < frame) {
      const changes = counts[++now.frame];
      drawing.change(now, changes, now.change, gaps, valids, kinds);
      now.change += changes;
    }
    draw();
  }

  const map = byId("map");
  let blockAt = () => null;
  function drawBlocks() {
    blockAt = drawing.blocks(map, now, told.pages, told.states);
  }

  function drawPlanes(frame) {
    const { context, width, height } = drawing.pen(byId("planes"));
    const step = width / frame.planes.length, line = drawing.shade("--line"), full = told.states[1][1];
    const gap = step > 4 && step < width ? Math.min(6, step / 5) : 0;
    frame.planes.forEach((share, plane) => {
      context.fillStyle = line;
      context.fillRect(plane * step, 0, step - gap, height);
      context.fillStyle = full;
      context.fillRect(plane * step, height * (1 - share / 100), step - gap, height * share / 100);
      if (step < 44) return;
      context.fillStyle = drawing.shade("--ink");
      context.font = "12px system-ui, sans-serif";
      context.fillText(`${share} %`, plane * step + 4, 14);
    });
  }

  function drawCauses(frame) {
    const parts = told.causes.map(([, colour], at) => [frame.causes[at], colour]);
    drawing.shares(byId("causes"), parts).forEach((share, at) => {
      byId("shares").children[at].lastChild.textContent = `${told.causes[at][0]} ${(100 * share).toFixed(0)} %`;
    });
  }

  function drawChart(canvas) {
    const values = frames.map(frame => frame.chart[Number(canvas.dataset.chart)]);
    const most = Math.max(...values.filter(value => value !== null)) || 1;
    const place = frame => frames.length > 1 ? frame / (frames.length - 1) : 0;
    const line = { places: frames.map((_, frame) => place(frame)), values, colour: told.states[1][1] };
    drawing.lines(canvas, [line], most, place(now.frame));
  }

  const fill = (name, texts) => document.querySelectorAll(`[data-${name}]`).forEach(
    cell => { cell.textContent = texts[Number(cell.getAttribute(`data-${name}`))]; });
  function draw() {
    const frame = frames[now.frame];
    byId("at").textContent = `${now.frame + 1} of ${frames.length}: ${frame.at}`;
    byId("erases").textContent = frame.erases;
    fill("window", frame.window);
    fill("so-far", frame.so_far);
    drawBlocks();
    drawPlanes(frame);
    drawCauses(frame);
    document.querySelectorAll("[data-chart]").forEach(drawChart);
  }

  drawing.legend(byId("states"), told.seen.map(state => told.states[state]));
  drawing.legend(byId("shares"), told.causes);

  // Play, pause, scrub; the address may name a frame, as #12.
  const play = byId("play"), slider = byId("frame"), speed = byId("speed");
  let due = 0, playing = false;
  function step(time) {
    if (!playing) return;
    if (time >= due) {
      if (now.frame + 1 === frames.length) { stop(); return; }
      due = time + 1000 / Number(speed.value);
      slider.value = now.frame + 1;
      go(now.frame + 1);
    }
    requestAnimationFrame(step);
  }
  function stop() { playing = false; play.textContent = "Play"; }
  play.addEventListener("click", () => {
    if (playing) { stop(); return; }
    playing = true;
    play.textContent = "Pause";
    if (now.frame + 1 === frames.length) go(0);
    requestAnimationFrame(step);
  });
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  map.addEventListener("pointermove", event => {
    const block = blockAt(event.offsetX, event.offsetY);
    if (block === null) return;
    const name = told.states[now.state[block]][0];
    byId("block").textContent = `Block ${block}: ${name}, ${now.valid[block]} of ${told.pages} pages valid.`;
  });
  const start = () => {
    const named = Number(location.hash.slice(1)) - 1;
    slider.value = Number.isInteger(named) && named >= 0 && named < frames.length ? named : 0;
    stop();
    go(Number(slider.value));
  };
  addEventListener("hashchange", start);
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  start();
})();
