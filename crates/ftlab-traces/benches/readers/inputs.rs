//! A trace of each format, made of pseudo-random requests in the order of time.

use ftlab_traces::request::Op;
use ftlab_traces::rng::Rng;
use ftlab_traces::trace::{Columns, TraceOptions};
use ftlab_traces::units::Bytes;
use std::fmt::Write;

/// The bytes of a trace and how it is read.
pub struct Made {
    pub bytes: Vec<u8>,
    pub options: TraceOptions,
}

/// What makes so many requests of a format.
type Input = fn(u64) -> Made;

/// A text with a line for each request.
macro_rules! lines {
    ($format:expr, $count:expr, $header:expr, |$r:ident| $($words:tt)+) => {
        text($format, $count, $header, |out, $r: &Plain| {
            writeln!(out, $($words)+).expect("a string takes all");
        })
    };
}

/// Each reader, by the name of its format and, behind a hyphen, what is special.
pub const INPUTS: &[(&str, Input)] = &[
    ("spc", |n| {
        lines!(
            "spc",
            n,
            "",
            |r| "{},{},{},{},{}.{:06}",
            r.volume,
            r.sector,
            r.bytes,
            r.letter(),
            r.seconds(),
            r.micros()
        )
    }),
    ("msr", |n| {
        lines!(
            "msr",
            n,
            "",
            |r| "{},prxy,{},{},{},{},{}",
            128_166_391_024_154_329 + r.ns / 100,
            r.volume,
            r.word(),
            r.sector * 512,
            r.bytes,
            1514
        )
    }),
    ("systor", |n| {
        lines!(
            "systor",
            n,
            "",
            |r| "{}.{:09},0.000245000,{},{},{},{}",
            1_456_095_147 + r.seconds(),
            r.ns % GIGA,
            r.capital(),
            r.volume,
            r.sector * 512,
            r.bytes
        )
    }),
    ("alibaba", |n| {
        lines!(
            "alibaba",
            n,
            "",
            |r| "{},{},{},{},{}",
            r.volume,
            r.capital(),
            r.sector * 512,
            r.bytes,
            1_577_808_000_000_626 + r.ns / 1000
        )
    }),
    ("tencent", |n| {
        lines!(
            "tencent",
            n,
            "",
            |r| "{},{},{},{},{}",
            1_538_323_200 + r.seconds(),
            r.sector,
            r.bytes / 512,
            u8::from(r.writes),
            r.volume
        )
    }),
    ("fiu", |n| {
        lines!(
            "fiu",
            n,
            "",
            |r| "{} 4892 syslogd {} {} {} 6 0 531e779ca3d2ddf8f5ba7f5ff1e7a6b2",
            89_968_195_792_462 + r.ns,
            r.sector,
            r.bytes / 512,
            r.capital()
        )
    }),
    ("blkparse", |n| {
        lines!(
            "blkparse",
            n,
            "",
            |r| "  8,{}    3 {:8} {:5}.{:09}   697  Q  {}S {} + {} [kjournald]",
            r.volume,
            r.number,
            r.seconds(),
            r.ns % GIGA,
            r.capital(),
            r.sector,
            r.bytes / 512
        )
    }),
    ("ftrace", |n| {
        lines!(
            "ftrace",
            n,
            "",
            |r| "              dd-1107    [002] .....   {}.{:06}: block_bio_queue: 8,{} {}S {} + {} [dd]",
            r.seconds(),
            r.micros(),
            r.volume,
            r.capital(),
            r.sector,
            r.bytes / 512
        )
    }),
    ("blktrace", |n| {
        records("blktrace", n, &[], |out, r: &Plain| {
            out.extend(0x6561_7407_u32.to_le_bytes());
            out.extend((r.number as u32).to_le_bytes());
            out.extend(r.ns.to_le_bytes());
            out.extend(r.sector.to_le_bytes());
            out.extend((r.bytes as u32).to_le_bytes());
            out.extend(((if r.writes { 2_u32 } else { 1 }) << 16 | 1).to_le_bytes());
            out.extend([0; 4]);
            out.extend((8_u32 << 20 | r.volume as u32).to_le_bytes());
            out.extend([0; 8]);
        })
    }),
    ("biotracer", |n| {
        lines!(
            "biotracer",
            n,
            "",
            |r| "{}\t\t{}\t\t{}\t\t{}\t\t{}.{:09}\t\t1398403999.652921876\t\t1398403999.653009063\t\t1398403999.653717136",
            r.sector,
            r.bytes / 512,
            r.bytes,
            u8::from(r.writes),
            1_398_400_000 + r.seconds(),
            r.ns % GIGA
        )
    }),
    ("etw", |n| {
        lines!(
            "etw",
            n,
            "BeginHeader\nEndHeader\n",
            |r| "{:>22}, {:10},        xperf.exe (3984),      11844, 0xffffe288b23f1b20, 0x{:010x}, 0x{:08x},         283,        {}, 0x060043,         283,       3, Original, 0xffffe288272d0d20, \"C:\\$Mft\"",
            if r.writes { "DiskWrite" } else { "DiskRead" },
            1000 + r.ns / 1000,
            r.sector * 512,
            r.bytes,
            r.volume
        )
    }),
    ("heimdall", |n| {
        lines!(
            "heimdall",
            n,
            "",
            |r| "{} {} {} {} {}",
            r.millis(),
            r.volume,
            r.sector * 512,
            r.bytes,
            r.reads()
        )
    }),
    ("disksim", |n| {
        lines!(
            "disksim",
            n,
            "",
            |r| "{} {} {} {} {}",
            r.millis(),
            r.volume,
            r.sector,
            r.bytes / 512,
            r.reads()
        )
    }),
    ("flashsim", |n| {
        lines!(
            "flashsim",
            n,
            "",
            |r| "{}\t{}\t{}\t{}\t{}",
            r.millis(),
            r.volume,
            r.sector,
            r.bytes / 4096 + 1,
            r.reads()
        )
    }),
    ("mqsim", |n| whole_columns("mqsim", n)),
    ("ssdsim", |n| whole_columns("ssdsim", n)),
    ("vscsi", |n| {
        records("vscsi", n, &[], |out, r: &Plain| {
            out.extend((r.number as u32).to_le_bytes());
            out.extend((r.bytes as u32).to_le_bytes());
            out.extend(1_u32.to_le_bytes());
            out.extend((if r.writes { 0x2a_u16 } else { 0x28 }).to_le_bytes());
            out.extend(0x0100_u16.to_le_bytes());
            out.extend(r.sector.to_le_bytes());
            out.extend((r.ns / 1000).to_le_bytes());
        })
    }),
    ("srt", |n| {
        records("srt", n, b"$$TR_IOREC-1.3 sectorsize = 512\n\x0c", |out, r: &Plain| {
            let (seconds, micros) = (r.seconds() as u32, r.micros() as u32);
            let fields = [
                13 * 4,
                3 << 16 | 1,
                seconds,
                micros,
                0,
                0,
                r.bytes as u32,
                r.sector as u32,
                (r.volume as u32) << 8,
                0,
                0,
                u32::from(!r.writes),
                0,
            ];
            fields.iter().for_each(|field| out.extend(field.to_be_bytes()));
        })
    }),
    ("cloudphysics", |n| {
        lines!(
            "cloudphysics",
            n,
            "version,time,op,size,lbn\n",
            |r| "1,{},{},{},{}",
            5_633_898 + r.seconds(),
            if r.writes { "2a" } else { "28" },
            r.bytes,
            r.sector
        )
    }),
    ("hp-csv", |n| {
        lines!(
            "hp-csv",
            n,
            "time_s,disk,sector512,sectors512,op,async,queue_len,service_start_us,service_stop_us\n",
            |r| "{}.{:06},{},{},{},{},0,1,174,19687",
            r.seconds(),
            r.micros(),
            r.volume,
            r.sector,
            r.bytes / 512,
            r.capital()
        )
    }),
    ("fio", |n| {
        lines!(
            "fio",
            n,
            "fio version 3 iolog\n0 /dev/sda add\n4 /dev/sda open\n",
            |r| "{} /dev/sda {} {} {}",
            r.ns / 1000,
            r.lower(),
            r.sector * 512,
            r.bytes
        )
    }),
    ("arc", |n| {
        lines!("arc", n, "", |r| "{} {} 0 {}", r.sector, r.bytes / 512, r.number)
            .with(|options| options.op = Some(Op::Read))
    }),
    ("csv", |n| {
        lines!(
            "csv",
            n,
            "time,op,offset,size,disk\n",
            |r| "{}.{:06},{},{},{},{}",
            r.seconds(),
            r.micros(),
            r.word(),
            r.sector * 512,
            r.bytes,
            r.volume
        )
        .with(|options| {
            options.columns =
                Some(columns("time=time,op=op,offset=offset,length=size,volume=disk"));
        })
    }),
    ("csv-blanks", |n| {
        lines!(
            "csv",
            n,
            "",
            |r| "{}.{:06}  {}  {} {}",
            r.seconds(),
            r.micros(),
            r.capital(),
            r.sector,
            r.bytes
        )
        .with(|options| {
            options.columns =
                Some(columns("time=1,op=2,offset=3:sectors,length=4,separator=blanks"));
        })
    }),
    ("biosnoop", |n| {
        lines!(
            "biosnoop",
            n,
            "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  LAT(ms)\n",
            |r| "{} kworker/u8:2   1950   sd{}       {} {:<10} {:<7} {:>7}",
            format_args!("{}.{:06}", r.seconds(), r.micros()),
            r.volume,
            r.capital(),
            r.sector,
            r.bytes,
            "0.74"
        )
    }),
    ("iotracer", |n| {
        lines!(
            "iotracer",
            n,
            "",
            |r| "2024-01-15 10:00:{:02}.{:06},1234,python3,{},{},{},1.234,1235,16,1233,8:{},0.012,REQ_SYNC",
            r.seconds(),
            r.micros(),
            r.sector,
            r.lower(),
            r.bytes,
            r.volume
        )
    }),
    ("tectonic", |n| {
        lines!(
            "tectonic",
            n,
            "",
            |r| "{} 4096 {} {}.{:06} {} 7 1 {} 2 3",
            r.sector,
            r.bytes,
            1_569_934_830 + r.seconds(),
            r.micros(),
            if r.writes { 4 } else { 2 },
            r.volume
        )
    }),
    ("vscsistats", |n| {
        lines!(
            "vscsistats",
            n,
            "",
            |r| "2147483692,{},1,{},{},{}",
            r.bytes,
            r.lower(),
            r.sector,
            2_756_778_716_650 + r.ns / 1000
        )
    }),
    ("nvme-json", |n| {
        lines!(
            "nvme-json",
            n,
            "",
            |r| "{{\"ts\":{},\"event_type\":\"nvme_cmd\",\"op_name\":\"{}\",\"slba\":{},\"bytes\":{}}}",
            r.ns,
            r.lower(),
            r.sector,
            r.bytes
        )
    }),
    ("oraclegeneral", |n| {
        let made = records("oraclegeneral", n, &[], |out, r| {
            out.extend((r.seconds() as u32).to_le_bytes());
            out.extend(r.sector.to_le_bytes());
            out.extend((r.bytes as u32).to_le_bytes());
            out.extend((-1_i64).to_le_bytes());
        });
        made.with(|options| (options.op, options.unit) = (Some(Op::Read), Some(Bytes(512))))
    }),
];

const GIGA: u64 = 1_000_000_000;
const SECTORS: u64 = 1 << 30;

/// A request before it is written down.
struct Plain {
    number: u64,
    ns: u64,
    volume: u64,
    sector: u64,
    bytes: u64,
    writes: bool,
}

impl Plain {
    fn seconds(&self) -> u64 {
        self.ns / GIGA
    }

    fn micros(&self) -> u64 {
        self.ns % GIGA / 1000
    }

    /// Milliseconds with decimals.
    fn millis(&self) -> String {
        format!("{}.{:06}", self.ns / 1_000_000, self.ns % 1_000_000)
    }

    /// 1 for a read, else 0.
    fn reads(&self) -> u8 {
        u8::from(!self.writes)
    }

    fn lower(&self) -> &'static str {
        if self.writes { "write" } else { "read" }
    }

    fn word(&self) -> &'static str {
        if self.writes { "Write" } else { "Read" }
    }

    fn capital(&self) -> &'static str {
        &self.word()[..1]
    }

    fn letter(&self) -> &'static str {
        if self.writes { "w" } else { "r" }
    }
}

/// So many requests, on average 200 us apart.
fn requests(count: u64) -> impl Iterator<Item = Plain> {
    let mut rng = Rng::new(1, "readers");
    let mut ns = 7_000_123;
    (0..count).map(move |number| {
        ns += 1 + rng.below(400_000);
        let (volume, sector) = (rng.below(8), 1 + 8 * rng.below(SECTORS));
        let bytes = 512 + 4096 * rng.below(16);
        Plain { number, ns, volume, sector, bytes, writes: rng.below(4) != 0 }
    })
}

/// The trace that begins with `header`, as `format` is read.
fn records(format: &str, count: u64, header: &[u8], record: fn(&mut Vec<u8>, &Plain)) -> Made {
    let mut bytes = header.to_vec();
    requests(count).for_each(|request| record(&mut bytes, &request));
    let format = Some(format.to_owned());
    Made { bytes, options: TraceOptions { format, ..TraceOptions::default() } }
}

/// As [`records`], of lines.
fn text(format: &str, count: u64, header: &str, line: fn(&mut String, &Plain)) -> Made {
    let mut text = header.to_owned();
    requests(count).for_each(|request| line(&mut text, &request));
    Made { bytes: text.into_bytes(), ..records(format, 0, &[], |_, _| {}) }
}

/// Five columns of whole numbers, in nanoseconds and sectors.
fn whole_columns(format: &str, count: u64) -> Made {
    lines!(
        format,
        count,
        "",
        |r| "{} {} {} {} {}",
        938_513_000 + r.ns,
        r.volume,
        r.sector,
        r.bytes / 512,
        r.reads()
    )
}

impl Made {
    fn with(mut self, change: fn(&mut TraceOptions)) -> Self {
        change(&mut self.options);
        self
    }
}

fn columns(text: &str) -> Columns {
    Columns::try_from(text.to_owned()).expect("columns")
}
