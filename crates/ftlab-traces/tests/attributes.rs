//! The attributes of requests, from files to requests and back.
#![allow(clippy::unwrap_used, reason = "the helpers of tests may panic as tests do")]

use ftlab_traces::Error;
use ftlab_traces::request::{
    Attribute, Attributes, Digest, Input, Meta, Op, Packed, Request, RequestSource, in_memory,
    unpacked,
};
use ftlab_traces::trace::columnar::GROUP_ROWS;
use ftlab_traces::trace::convert::{Converted, convert};
use ftlab_traces::trace::split::split;
use ftlab_traces::trace::{self, Columns, TraceOptions};
use parquet::data_type::{ByteArrayType, Int32Type, Int64Type};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("attributes");
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn write(input: &dyn Input, path: &Path) -> Result<Converted, Error> {
    convert(input, path.to_str().unwrap(), None, &mut |_, _| Ok(()))
}

fn open(path: &Path) -> Result<Box<dyn Input>, Error> {
    trace::open(path.to_str().unwrap(), &TraceOptions::default())
}

fn read(path: &Path) -> Result<Vec<Request>, Error> {
    open(path)?.open()?.rest()
}

/// The names of a file's columns.
fn columns(path: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    schema.columns().iter().map(|column| column.name().to_owned()).collect()
}

const PLAIN: [&str; 5] = ["time_ns", "volume", "offset", "length", "op"];

/// Attributes of which each is unset half of the time.
fn any_meta() -> impl Strategy<Value = Meta> {
    let values = Attribute::ALL.iter().map(|one| prop_oneof![Just(0), 0..=one.most()]);
    values.collect::<Vec<_>>().prop_map(|values| {
        let each = Attribute::ALL.iter().zip(values);
        each.fold(Meta::UNSET, |meta, (one, value)| one.set(meta, value).unwrap())
    })
}

fn any_requests() -> impl Strategy<Value = Vec<Request>> {
    let one = (0..1u64 << 30, 0..1u64 << 40, 1..=1u32 << 30, 0..3u32, 0..5usize, any_meta());
    proptest::collection::vec(one, 1..300).prop_map(|some| {
        let mut time = 0;
        let mut requests = Vec::new();
        for (step, offset, length, volume, op, meta) in some {
            let request = match Op::ALL[op] {
                Op::Flush => Request::flush(),
                op => Request::new(op, offset, length),
            };
            requests.push(request.at(time).in_volume(volume).with_meta(meta));
            time += step;
        }
        requests
    })
}

struct Whole(Packed);

impl AsRef<Packed> for Whole {
    fn as_ref(&self) -> &Packed {
        &self.0
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_parquet_file_keeps_attributes(requests in any_requests()) {
        let file = path("property.parquet");
        let input: Arc<[Request]> = requests.clone().into();
        let written = write(&input, &file).unwrap();
        prop_assert_eq!(&read(&file).unwrap(), &requests);
        let found = open(&file).unwrap();
        prop_assert_eq!(found.attributes(), Attributes::set_in(&requests));
        prop_assert_eq!(found.measured().unwrap().digest, written.digest);
        let set = Attributes::set_in(&requests).iter().map(Attribute::name);
        prop_assert_eq!(columns(&file), PLAIN.into_iter().chain(set).collect::<Vec<_>>());
    }

    #[test]
    fn packed_requests_keep_attributes(requests in any_requests()) {
        let mut packed = Packed::default();
        requests.iter().for_each(|request| packed.push(request));
        prop_assert_eq!(unpacked(Arc::new(Whole(packed))).rest().unwrap(), requests);
    }

    #[test]
    fn a_csv_file_has_the_attributes_of_its_columns(requests in any_requests()) {
        let names: Vec<&str> = Attribute::ALL.iter().map(|attribute| attribute.name()).collect();
        let mut text = format!("t,o,l,op,v,{}\n", names.join(","));
        for r in &requests {
            let values = Attribute::ALL.iter().map(|attribute| attribute.of(r.meta).to_string());
            let values = values.collect::<Vec<_>>().join(",");
            let Request { time, offset, length, volume, op, .. } = r;
            text += &format!("{time},{offset},{length},{},{volume},{values}\n", op.name());
        }
        let file = path("property.csv");
        fs::write(&file, text).unwrap();
        let columns = String::from("time=t:ns,offset=o,length=l,op=op,volume=v");
        let columns = names.iter().fold(columns, |text, name| format!("{text},{name}={name}"));
        let columns = Some(Columns::try_from(columns).unwrap());
        let options = TraceOptions { columns, flushes: true, ..TraceOptions::default() };
        let input = trace::open(file.to_str().unwrap(), &options).unwrap();
        prop_assert_eq!(&input.open().unwrap().rest().unwrap(), &requests);
        let all: Attributes = Attribute::ALL.iter().copied().collect();
        prop_assert_eq!(input.attributes(), all);
    }
}

fn hinted(requests: u64) -> Vec<Request> {
    let meta = |i: u64| Meta { handle: (i % 3) as u16, ..Meta::UNSET };
    let one = |i: u64| Request::new(Op::Write, 4096 * i, 4096).at(i).in_volume((i % 2) as u32);
    (0..requests).map(|i| one(i).with_meta(meta(i))).collect()
}

#[test]
fn plain_requests_get_no_columns_of_attributes() {
    let plain: Arc<[Request]> = vec![Request::new(Op::Write, 0, 512)].into();
    let file = path("plain.parquet");
    write(&plain, &file).unwrap();
    assert_eq!(columns(&file), PLAIN);
}

#[test]
fn each_volume_of_a_split_keeps_its_attributes() {
    let requests = hinted(1000);
    let folder = path("split");
    let _ = fs::remove_dir_all(&folder);
    let input: Arc<[Request]> = requests.clone().into();
    let parts = split(&input, &folder, &mut |_, _| Ok(())).unwrap();
    for part in parts {
        let found = read(&folder.join(&part.file)).unwrap();
        let expected = requests.iter().filter(|request| request.volume == part.volume);
        assert!(found.iter().map(|r| r.meta).eq(expected.map(|r| r.meta)), "{}", part.file);
    }
}

#[test]
fn a_text_that_cannot_tell_attributes_refuses_them() {
    let input: Arc<[Request]> = hinted(2).into();
    let error = write(&input, &path("refused.spc")).unwrap_err().to_string();
    let expected = "request 2: found hint 1, which spc cannot tell; parquet tells everything";
    assert!(error.contains(expected), "{error}");
}

/// A source of an input that does not declare its attributes.
struct Silent(Arc<[Request]>);

impl Input for Silent {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(in_memory(Arc::clone(&self.0)))
    }

    fn name(&self) -> String {
        "silent".into()
    }

    fn format(&self) -> String {
        "memory".into()
    }
}

#[test]
fn attributes_are_not_lost_without_a_word() {
    let mut requests = vec![Request::new(Op::Write, 0, 512); GROUP_ROWS + 1];
    requests[GROUP_ROWS].meta.handle = 1;
    let error = write(&Silent(requests.into()), &path("silent.parquet")).unwrap_err().to_string();
    assert!(error.contains("the attribute hint, which its source does not declare"), "{error}");
}

const FOREIGN: &str = "message m {
    required int64 time_ns; required int32 volume; required int64 offset; required int32 length;
    required int32 op; optional int32 hint;
}";

/// A file of another program: requests at 0, 1, 2... with these hints, where they have one.
fn foreign(name: &str, hints: &[Option<i32>]) -> PathBuf {
    let path = path(name);
    let schema = parse_message_type(FOREIGN).unwrap();
    let file = fs::File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let times: Vec<i64> = (0..hints.len() as i64).collect();
    for column in 0.. {
        let Some(mut chunk) = group.next_column().unwrap() else { break };
        let ones = vec![1; hints.len()];
        match column {
            0 | 2 => _ = chunk.typed::<Int64Type>().write_batch(&times, None, None).unwrap(),
            5 => {
                let values: Vec<i32> = hints.iter().flatten().copied().collect();
                let levels: Vec<i16> = hints.iter().map(|hint| hint.is_some().into()).collect();
                chunk.typed::<Int32Type>().write_batch(&values, Some(&levels), None).unwrap();
            }
            _ => _ = chunk.typed::<Int32Type>().write_batch(&ones, None, None).unwrap(),
        }
        chunk.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    path
}

#[test]
fn a_row_without_a_hint_has_the_default_handle() {
    let hints: Vec<_> = (0..10_000).map(|i| (i % 3 > 0).then_some(i % 500)).collect();
    let found = read(&foreign("nulls.parquet", &hints)).unwrap();
    let handles = found.iter().map(|request| i32::from(request.meta.handle));
    assert!(handles.eq(hints.iter().map(|hint| hint.unwrap_or(0))));
    assert!(read(&foreign("none.parquet", &[None, None])).unwrap()[1].meta.is_unset());
}

#[test]
fn a_hint_that_is_none_is_told_with_its_row() {
    for hint in [65_536, -1] {
        let error = read(&foreign("bad.parquet", &[Some(1), Some(hint)])).unwrap_err().to_string();
        let expected = format!("column hint: found {hint}, expected a whole number up to 65535");
        assert!(error.contains("bad.parquet:2: ") && error.contains(&expected), "{error}");
    }
}

/// A column that only has the name of an attribute is like any other column.
#[test]
fn a_column_of_words_is_no_hint() {
    let schema = FOREIGN.replace("optional int32 hint", "required binary hint (string)");
    let path = path("words.parquet");
    let file = fs::File::create(&path).unwrap();
    let schema = parse_message_type(&schema).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in 0..6 {
        let mut chunk = group.next_column().unwrap().unwrap();
        match column {
            0 | 2 => _ = chunk.typed::<Int64Type>().write_batch(&[0], None, None).unwrap(),
            5 => {
                let words = ["streaming".into()];
                chunk.typed::<ByteArrayType>().write_batch(&words, None, None).unwrap();
            }
            _ => _ = chunk.typed::<Int32Type>().write_batch(&[1], None, None).unwrap(),
        }
        chunk.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let input = open(&path).unwrap();
    assert_eq!(input.attributes(), Attributes::default());
    let mut source = input.open().unwrap();
    assert!(source.rest().unwrap()[0].meta.is_unset());
    let expected =
        "column hint: found BYTE_ARRAY, expected a whole number up to 65535; it is not read";
    assert_eq!(source.remarks(), [expected]);
}

#[test]
fn a_digest_differs_by_attributes() {
    let digest = |requests: &[Request]| {
        let mut digest = Digest::default();
        requests.iter().for_each(|request| digest.add(request));
        digest.text()
    };
    let mut plain = hinted(100);
    let with = digest(&plain);
    plain.iter_mut().for_each(|request| request.meta = Meta::UNSET);
    assert_ne!(digest(&plain), with);
}
