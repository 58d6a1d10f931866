
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
  const now = { frame: -1, change: 0, valid: new Uint32Array(told.blocks), state: new Uint8Array(told.blocks) };
  function go(frame) {
    if (frame < now.frame) {
      now.frame = -1; now.change = 0;
      now.valid.fill(0); now.state.fill(0);
    }
    while (now.frame < frame) {
      let block = -1;
      for (let left = counts[++now.frame]; left > 0; left--, now.change++) {
        block += gaps[now.change];
        now.valid[block] = valids[now.change];
        now.state[block] = kinds[now.change];
      }
    }
    draw();
  }

  // Drawing, in CSS pixels on as many as the screen has.
  function pen(canvas, height) {
    const width = canvas.clientWidth, dense = window.devicePixelRatio || 1;
    if (height) canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round((height || canvas.clientHeight) * dense);
    const context = canvas.getContext("2d");
    context.scale(dense, dense);
    return { context, width, height: height || canvas.clientHeight };
  }
  const shade = name => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };

  const map = byId("map");
  let cells = { side: 1, across: 1 };
  function drawBlocks() {
    const width = map.clientWidth;
    const side = Math.max(2, Math.min(24, Math.floor(Math.sqrt(width * 420 / told.blocks))));
    const across = Math.max(1, Math.floor(width / side));
    cells = { side, across };
    const { context } = pen(map, Math.ceil(told.blocks / across) * side);
    const gap = side > 4 ? 1 : 0, inner = side - gap, line = shade("--line");
    for (let block = 0; block < told.blocks; block++) {
      const x = block % across * side, y = Math.floor(block / across) * side;
      const colour = told.states[now.state[block]][1];
      context.globalAlpha = 1;
      context.fillStyle = line;
      context.fillRect(x, y, inner, inner);
      if (!colour) continue;
      context.fillStyle = colour;
      context.globalAlpha = 0.18 + 0.82 * now.valid[block] / told.pages;
      context.fillRect(x, y, inner, inner);
    }
    context.globalAlpha = 1;
  }

  function drawPlanes(frame) {
    const { context, width, height } = pen(byId("planes"));
    const step = width / frame.planes.length, line = shade("--line"), full = told.states[1][1];
    const gap = step > 4 && step < width ? Math.min(6, step / 5) : 0;
    frame.planes.forEach((share, plane) => {
      context.fillStyle = line;
      context.fillRect(plane * step, 0, step - gap, height);
      context.fillStyle = full;
      context.fillRect(plane * step, height * (1 - share / 100), step - gap, height * share / 100);
      if (step < 44) return;
      context.fillStyle = shade("--ink");
      context.font = "12px system-ui, sans-serif";
      context.fillText(`${share} %`, plane * step + 4, 14);
    });
  }

  function drawCauses(frame) {
    const { context, width, height } = pen(byId("causes"));
    const all = frame.causes.reduce((sum, each) => sum + each, 0);
    context.fillStyle = shade("--line");
    context.fillRect(0, 0, width, height);
    let x = 0;
    told.causes.forEach(([cause, colour], at) => {
      const share = all ? frame.causes[at] / all : 0;
      context.fillStyle = colour;
      context.fillRect(x, 0, share * width, height);
      x += share * width;
      byId("shares").children[at].lastChild.textContent = `${cause} ${(100 * share).toFixed(0)} %`;
    });
  }

  function drawChart(canvas) {
    const { context, width, height } = pen(canvas), at = Number(canvas.dataset.chart);
    const values = frames.map(frame => frame.chart[at]);
    const most = Math.max(...values.filter(value => value !== null)) || 1;
    const place = frame => frames.length > 1 ? frame / (frames.length - 1) * (width - 2) + 1 : 1;
    context.strokeStyle = told.states[1][1];
    context.lineWidth = 1.5;
    context.beginPath();
    let joined = false;
    values.forEach((value, frame) => {
      if (value === null) { joined = false; return; }
      const y = height - 2 - value / most * (height - 6);
      if (joined) context.lineTo(place(frame), y); else context.moveTo(place(frame), y);
      joined = true;
    });
    context.stroke();
    context.strokeStyle = shade("--ink");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(place(now.frame), 0);
    context.lineTo(place(now.frame), height);
    context.stroke();
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

  function legend(id, entries) {
    byId(id).replaceChildren(...entries.map(([name, colour]) => {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour || "var(--line)";
      entry.append(swatch, name);
      return entry;
    }));
  }
  legend("states", told.seen.map(state => told.states[state]));
  legend("shares", told.causes);

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
    const column = Math.floor(event.offsetX / cells.side), row = Math.floor(event.offsetY / cells.side);
    const block = row * cells.across + column;
    if (column >= cells.across || block >= told.blocks) return;
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
