
/* Blocks and bars on a canvas, in the colours of the page: of a recorded run, and of the playground. */
const drawing = (() => {
  "use strict";

  /* A pen in CSS pixels, on as many as the screen has. */
  function pen(canvas, height) {
    const width = canvas.clientWidth, dense = window.devicePixelRatio || 1;
    if (height) canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round((height || canvas.clientHeight) * dense);
    const context = canvas.getContext("2d");
    context.scale(dense, dense);
    return { context, width, height: height || canvas.clientHeight };
  }

  function shade(name) {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  /* Every block before the first frame: free. */
  const blank = blocks => ({ valid: new Uint32Array(blocks), state: new Uint8Array(blocks) });

  /* Takes the changes of a frame: how far each block is from the one before, its valid pages, and what it is. */
  function change(now, count, from, gaps, valid, states) {
    let block = -1;
    for (let at = from; at < from + count; at++) {
      block += gaps[at];
      now.valid[block] = valid[at];
      now.state[block] = states[at];
    }
  }

  /* Draws the blocks; returns a function that finds the one at a point. `states` are names with colours. */
  function blocks(canvas, now, pages, states, most = 24) {
    const all = now.valid.length, width = canvas.clientWidth;
    const side = Math.max(2, Math.min(most, Math.floor(Math.sqrt(width * 420 / all))));
    const across = Math.max(1, Math.floor(width / side));
    const { context } = pen(canvas, Math.ceil(all / across) * side);
    const gap = side > 4 ? 1 : 0, inner = side - gap, line = shade("--line");
    for (let block = 0; block < all; block++) {
      const x = block % across * side, y = Math.floor(block / across) * side;
      const colour = states[now.state[block]][1];
      context.globalAlpha = 1;
      context.fillStyle = line;
      context.fillRect(x, y, inner, inner);
      if (!colour) continue;
      context.fillStyle = colour;
      context.globalAlpha = 0.18 + 0.82 * now.valid[block] / pages;
      context.fillRect(x, y, inner, inner);
    }
    context.globalAlpha = 1;
    return (x, y) => {
      const column = Math.floor(x / side), block = Math.floor(y / side) * across + column;
      return column < across && block < all ? block : null;
    };
  }

  /* Shares of a whole as one bar: amounts with their colours. */
  function shares(canvas, parts) {
    const { context, width, height } = pen(canvas);
    const all = parts.reduce((sum, [amount]) => sum + amount, 0);
    context.fillStyle = shade("--line");
    context.fillRect(0, 0, width, height);
    let x = 0;
    for (const [amount, colour] of parts) {
      const part = all ? amount / all * width : 0;
      context.fillStyle = colour;
      context.fillRect(x, 0, part, height);
      x += part;
    }
    return parts.map(([amount]) => all ? amount / all : 0);
  }

  /* Lines over the frames of a run, from zero: places from 0 to 1 with values, of which null is none. */
  function lines(canvas, all, most, mark) {
    const { context, width, height } = pen(canvas);
    const across = place => place * (width - 2) + 1;
    context.lineWidth = 1.5;
    for (const { places, values, colour, dash } of all) {
      context.strokeStyle = colour;
      context.setLineDash(dash || []);
      context.beginPath();
      let joined = false;
      values.forEach((value, at) => {
        if (value === null) { joined = false; return; }
        const x = across(places[at]), y = height - 2 - value / most * (height - 6);
        if (joined) context.lineTo(x, y); else context.moveTo(x, y);
        joined = true;
      });
      context.stroke();
    }
    if (mark === undefined) return;
    context.setLineDash([]);
    context.strokeStyle = shade("--ink");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(across(mark), 0);
    context.lineTo(across(mark), height);
    context.stroke();
  }

  /* What colours mean: names with colours. */
  function legend(element, entries) {
    element.replaceChildren(...entries.map(([name, colour]) => {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour || "var(--line)";
      entry.append(swatch, name);
      return entry;
    }));
  }

  return { pen, shade, blank, change, blocks, shares, lines, legend };
})();
