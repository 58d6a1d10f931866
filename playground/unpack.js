/* The core out of the text that the page holds it as: letters of seven bits, and of those LZMA, which takes a third less
   than what browsers unpack themselves. */
const unpack = (() => {
  "use strict";

  /* Each letter has seven bits, its lowest. The eighth is set where HTML would not keep the letter. */
  function bytes(text) {
    const found = new Uint8Array(Math.floor(text.length * 7 / 8));
    for (let at = 0, to = 0, bits = 0, many = 0; at < text.length; at++) {
      bits = bits << 7 | text.charCodeAt(at) & 127;
      many += 7;
      if (many >= 8) {
        many -= 8;
        found[to++] = bits >> many;
      }
    }
    return found;
  }

  // Where the chances of each decision lie. A literal depends on the three highest bits of the byte before it.
  const IS_MATCH = 0, IS_REPEAT = 12, IS_OLDER = 24, IS_THIRD = 36, IS_FOURTH = 48, IS_LONG = 60, SLOT = 72;
  const SPECIAL = SLOT + 4 * 64, ALIGN = SPECIAL + 128, LENGTH = ALIGN + 16, LENGTH_AGAIN = LENGTH + 274;
  const LITERAL = LENGTH_AGAIN + 274, CHANCES = LITERAL + 8 * 768;

  /* A raw stream of LZMA with lc = 3, lp = 0, pb = 0, which holds `size` bytes. */
  function lzma(packed, size) {
    const out = new Uint8Array(size), chances = new Uint16Array(CHANCES).fill(1024);
    let at = 1, range = 0xFFFFFFFF, code = 0;
    while (at < 5) code = (code << 8 | packed[at++]) >>> 0;

    function widen() {
      if (range < 0x1000000) {
        range = range << 8 >>> 0;
        code = (code << 8 | packed[at++]) >>> 0;
      }
    }
    function bit(chance) {
      const now = chances[chance], bound = (range >>> 11) * now;
      const one = code >= bound;
      if (one) {
        range -= bound;
        code -= bound;
        chances[chance] = now - (now >> 5);
      } else {
        range = bound;
        chances[chance] = now + (2048 - now >> 5);
      }
      widen();
      return one ? 1 : 0;
    }
    function tree(from, bits) {
      let found = 1;
      for (let left = bits; left; left--) found = found << 1 | bit(from + found);
      return found - (1 << bits);
    }
    function treeFromLowest(from, bits) {
      let found = 0;
      for (let node = 1, each = 0; each < bits; each++) {
        const next = bit(from + node);
        node = node << 1 | next;
        found |= next << each;
      }
      return found;
    }
    function even(bits) {
      let found = 0;
      for (let left = bits; left; left--) {
        range >>>= 1;
        const one = code >= range;
        if (one) code -= range;
        found = found << 1 | one;
        widen();
      }
      return found;
    }
    function length(from) {
      if (!bit(from)) return 2 + tree(from + 2, 3);
      return bit(from + 1) ? 18 + tree(from + 18, 8) : 10 + tree(from + 10, 3);
    }
    function distance(long) {
      const slot = tree(SLOT + 64 * Math.min(long - 2, 3), 6);
      if (slot < 4) return slot;
      const bits = (slot >> 1) - 1, begin = (2 | slot & 1) << bits;
      if (slot < 14) return begin + treeFromLowest(SPECIAL + begin - slot, bits);
      return begin + (even(bits - 4) << 4) + treeFromLowest(ALIGN, 4);
    }

    let to = 0, state = 0, last = [0, 0, 0, 0];
    while (to < size) {
      if (!bit(IS_MATCH + state)) {
        const from = LITERAL + 768 * (to ? out[to - 1] >> 5 : 0);
        let letter = 1;
        if (state >= 7) {
          let like = out[to - last[0] - 1];
          while (letter < 256) {
            const expected = like >> 7 & 1;
            like <<= 1;
            const found = bit(from + (1 + expected << 8) + letter);
            letter = letter << 1 | found;
            if (found !== expected) break;
          }
        }
        while (letter < 256) letter = letter << 1 | bit(from + letter);
        out[to++] = letter;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        continue;
      }
      let long = 1;
      if (!bit(IS_REPEAT + state)) {
        long = length(LENGTH);
        last = [distance(long), last[0], last[1], last[2]];
        state = state < 7 ? 7 : 10;
      } else {
        const older = bit(IS_OLDER + state);
        if (older) {
          const which = bit(IS_THIRD + state) ? 2 + bit(IS_FOURTH + state) : 1;
          last = [last[which], ...last.filter((_, each) => each !== which)];
        }
        if (older || bit(IS_LONG + state)) {
          long = length(LENGTH_AGAIN);
          state = state < 7 ? 8 : 11;
        } else {
          state = state < 7 ? 9 : 11;
        }
      }
      for (let from = to - last[0] - 1; long && to < size; long--) out[to++] = out[from++];
    }
    return out;
  }

  return { bytes, lzma };
})();
