//! What every reader promises of any bytes. The fuzz target and the tests of the crate share it.

use ftlab_traces::Error;
use ftlab_traces::request::{BATCH, Op, Request};
use ftlab_traces::trace::{self, Columns, TimeOrder, TraceOptions};
use ftlab_traces::units::Bytes;
use std::io::{self, Cursor, Read};

/// Enough to fill several batches, and few enough that a decompressed bomb ends soon.
const MOST_REQUESTS: u64 = 3 * BATCH as u64;

/// What a reading gave: requests, and the error that ended it if one did.
pub type Outcome = (Vec<Request>, Option<String>);

/// Reads `bytes` as `format` (`detect`: as whatever they look like) and checks what every reader
/// promises: no panic, believable requests in the order of time, an error of one line, and the same
/// whether the bytes come at once or in pieces. Of the columns that a CSV file may have, the first with which it
/// can be read tell what is returned.
pub fn holds(format: &str, bytes: &[u8]) -> Outcome {
    let columns = if format == "csv" { &[PLAIN, DATES, BLANKS][..] } else { &[PLAIN] };
    let outcomes = columns.iter().map(|columns| held_to(&options(format, columns), bytes));
    outcomes.reduce(|one, other| if one.1.is_none() { one } else { other }).expect("columns")
}

fn held_to(options: &TraceOptions, bytes: &[u8]) -> Outcome {
    let whole = read(bytes, usize::MAX, options);
    assert_eq!(whole, read(bytes, 7, options), "pieces of 7 bytes tell something else");
    for order in [TimeOrder::Sort, TimeOrder::Clamp, TimeOrder::Segments, TimeOrder::Drop] {
        let (requests, _) =
            read(bytes, usize::MAX, &TraceOptions { order: Some(order), ..options.clone() });
        believable(&requests);
    }
    let (requests, error) = &whole;
    believable(requests);
    assert!(error.as_ref().is_none_or(|text| !text.contains(char::is_control)), "{error:?}");
    whole
}

fn believable(requests: &[Request]) {
    assert!(requests.is_sorted_by_key(|request| request.time));
    assert!(requests.first().is_none_or(|request| request.time == 0));
    for request in requests {
        let longest = if request.op == Op::Trim { u32::MAX } else { 1 << 30 };
        assert!((1..=longest).contains(&request.length), "{request:?}");
        assert!(request.time <= i64::MAX as u64, "{request:?}");
        let end = request.offset.checked_add(request.length.into());
        assert!(end.is_some_and(|end| end < 1 << 63), "{request:?}");
    }
}

const PLAIN: &str = "time=time:us,offset=lba:sectors,length=3,op=op:1,volume=disk";
const DATES: &str = "time=1:iso,offset=2,length=3,op=4,separator=semicolon";
const BLANKS: &str = "time=1,offset=2:pages,length=3,op=4,separator=blanks";

/// The format, and what it needs to be told.
fn options(format: &str, columns: &str) -> TraceOptions {
    TraceOptions {
        format: Some(format.to_owned()).filter(|name| name != "detect"),
        requests: Some(MOST_REQUESTS),
        op: ["arc", "oraclegeneral"].contains(&format).then_some(Op::Read),
        unit: (format == "oraclegeneral").then_some(Bytes(512)),
        columns: (format == "csv").then(|| Columns::try_from(columns.to_owned()).expect("columns")),
        ..TraceOptions::default()
    }
}

fn read(bytes: &[u8], piece: usize, options: &TraceOptions) -> Outcome {
    let mut requests = Vec::new();
    let error = fill(bytes, piece, options, &mut requests).err();
    (requests, error.map(|error| error.to_string()))
}

fn fill(
    bytes: &[u8],
    piece: usize,
    options: &TraceOptions,
    requests: &mut Vec<Request>,
) -> Result<(), Error> {
    let pieces = Pieces { bytes: Cursor::new(bytes.to_vec()), piece };
    let mut source = trace::read_stream(Box::new(pieces), options)?;
    loop {
        let before = requests.len();
        source.fill(requests)?;
        assert!(requests.len() - before <= BATCH);
        if requests.len() == before {
            return Ok(());
        }
    }
}

/// Hands out at most so many bytes at a time.
struct Pieces {
    bytes: Cursor<Vec<u8>>,
    piece: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(self.piece);
        self.bytes.read(&mut buffer[..some])
    }
}
