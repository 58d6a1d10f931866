/* What nobody means to run: addresses and files, each drawn from its number. For Node and for the page. */
const hostile = (() => {
  "use strict";

  /* Numbers below `most`, from a seed: mulberry32. */
  function draws(seed) {
    let state = seed * 0x9E3779B1 >>> 0;
    return most => {
      state = state + 0x6D2B79F5 >>> 0;
      let mixed = Math.imul(state ^ state >>> 15, state | 1);
      mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
      return Math.floor(((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32 * most);
    };
  }

  const TEXTS = ["", " ", "0", "-1", "1", "2", "7", "1e308", "1e999", "nan", "inf", "-0", "0x10", "18446744073709551616", "9007199254740993",
    "0%", "100%", "1e-300", "33.3%", "101%", "512B", "1KiB", "4KiB", "1MiB", "8MiB", "16MiB", "64MiB", "1GiB", "64GiB", "4096TiB", "3.5MiB",
    "99999999999999999999MiB", "1ns", "1us", "86400s", "1e30s", "true", "false", "[[\"4k\", 3], [\"16k\", 1]]", "[[\"4k\", -1]]", "[", "]", "[]",
    "{}", "null", "[null]", "\"", "'", "\\", "\n", "\r\n", "\0", "\u2028", "\uD800", "é", "<script>alert(1)</script>", "--help", "/etc/passwd", "../..",
    "-", "financial1", "financial2", "msr-ts", "1 rand 0-100 0", "1 seq 0-1e308 0", "50 zipf:9 3-4 65535 1G", "random:1", "random:99999",
    "steady-random:0%", "closed:4", "queued:0", "queued:4294967296", "least-busy", "[".repeat(1500), "9".repeat(400), "a".repeat(3000)];
  const FTLS = ["page", "dftl", "tpftl", "fast", "block", "tpfl", "__proto__", "constructor", "", " page ", "PAGE", "page".repeat(500), "\n"];

  /* The part of an address behind #. `data` is what the page knows of the core. */
  function address(seed, data) {
    const draw = draws(seed), pick = from => from[draw(from.length)];
    const told = new URLSearchParams();
    if (draw(40) === 0) told.set("start", pick([...FTLS, ...data.ftls.map(({ name }) => name)]));
    if (draw(5)) told.set("ftl", draw(4) ? pick(data.ftls).name : Array.from({ length: draw(7) }, () => pick(FTLS)).join(","));
    if (draw(20) === 0) told.set("lesson", pick(TEXTS));
    // Most are small, so that much of what is drawn runs.
    if (draw(8)) told.set("device.capacity", pick(["8MiB", "16MiB"]));
    if (draw(8)) told.set("workload.size", "8MiB");
    if (draw(8)) told.set("workload.requests", "300");
    for (let left = draw(4); left; left--) {
      const row = pick(data.settings);
      const known = [row.default, ...(row.kind === "choice" ? row.values.map(([name]) => name) : [])];
      told.set(draw(30) ? row.key : pick(["__proto__.x", "a.b", "x", "device.", "constructor.prototype"]), draw(2) ? pick(TEXTS) : pick(known));
    }
    let text = told.toString();
    // Some is no address at all.
    for (let left = draw(6) ? 0 : 1 + draw(8); left; left--) {
      const at = draw(text.length + 1);
      text = text.slice(0, at) + pick(["%", "%ff", "&", "=", "#", "\u0007", "+", "%00", "%zz"]) + text.slice(at + draw(4));
    }
    return text;
  }

  const LINES = [
    "0,303567,3584,w,0.000000", "128166391024154329,prxy,0,Write,1105182720,1024,1514", "7961.833 0 20228336 8 0", "26.214000\t0\t303574\t1\t0",
    "11413000 0 657728 16 1", "version,time,op,size,lbn", "fio version 2 iolog", "f add", "f write 0 4096", "110765 64 0 0",
    "Timestamp,Response,IOType,LUN,Offset,Size", "1456095147.574052000,0.000245000,R,0,4238867714048,4096", "0,R,126703644672,4096,1577808000000626",
    "1538323200,4247200,128,1,1058", "0 4892 syslogd 904265560 8 W 6 0 531e779ca3d2ddf8f5ba7f5ff1e7a6b2",
    "  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 1", "BeginHeader", "EndHeader",
    " DiskRead, 8612, a.exe (3984), 11844, 0xff, 0x018f0b8000, 0x00001000, 283, 0, 0", "0.000 0 200626176 4096 0", "time,offset,length,op", "[job]", "rw=randwrite",
    "{\"cmd\": \"read\"}", "# a comment", "", ",,,,", "\"", "1e400,1,1,w,1",
  ];
  const FRONTS = [[], [0x1f, 0x8b, 8, 0], [0x42, 0x5a, 0x68, 0x39], [0x04, 0x22, 0x4d, 0x18], [0x28, 0xb5, 0x2f, 0xfd], [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
    [0x50, 0x4b, 3, 4], [0x50, 0x41, 0x52, 0x31], [0x07, 0x61, 0x65, 0x65], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0, 0, 0, 0]];

  /* The name and bytes of a file that someone drops. */
  function file(seed) {
    const draw = draws(seed ^ 0x55555555), pick = from => from[draw(from.length)];
    const name = pick(["a.csv", "a.spc", "x.gz", "a\nb.csv", "", "-", "../../a", "é.txt", "a".repeat(5000), "<b>.tar", "\0"]);
    const bytes = [];
    const kind = draw(4);
    if (kind === 0) {
      bytes.push(...pick(FRONTS), ...Array.from({ length: draw(600) }, () => draw(256)));
    } else {
      const line = pick(LINES), texts = Array.from({ length: draw(40) }, () => draw(5) ? line : pick(LINES));
      bytes.push(...new TextEncoder().encode(texts.join(pick(["\n", "\n", "\r\n", "\r", " "])) + pick(["", "\n"])));
      // Digits, separators and bytes change.
      for (let left = kind === 1 ? 0 : draw(30); left && bytes.length; left--) {
        const at = draw(bytes.length);
        if (draw(3)) bytes[at] = draw(2) ? 48 + draw(10) : draw(256); else bytes.splice(at, draw(4), ...new TextEncoder().encode(pick(TEXTS).slice(0, 40)));
      }
    }
    return { name, bytes: Uint8Array.from(bytes) };
  }

  return { address, file };
})();
