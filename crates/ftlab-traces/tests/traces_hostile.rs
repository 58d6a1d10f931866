//! Every reader keeps its promises on the seeds of the fuzz targets and on damaged copies of them.

#[path = "../../../fuzz/property.rs"]
mod property;

use ftlab_traces::trace::FORMATS;
use std::fs;
use std::path::PathBuf;

/// The seeds of all formats, each with its format's name.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut seeds = Vec::new();
    for format in FORMATS {
        let files = fs::read_dir(folder.join(format.name));
        let files = files.unwrap_or_else(|_| panic!("no fuzz/seeds/{}", format.name));
        for file in files {
            let bytes = fs::read(file.expect("a file").path()).expect("a seed");
            seeds.push((format.name.to_owned(), bytes));
        }
    }
    seeds
}

#[test]
fn every_format_has_a_seed_that_it_reads() {
    for (format, bytes) in seeds() {
        let (requests, error) = property::holds(&format, &bytes);
        assert_eq!(error, None, "{format}");
        assert!(!requests.is_empty(), "{format}");
    }
}

/// What a decompressor has given before it finds the damage depends on how much it was handed at once.
#[test]
fn a_damaged_archive_is_told_alike_in_pieces_and_at_once() {
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    // Some letters in fixed codes, then a distance that goes back beyond the first byte.
    let damaged = [
        &header[..],
        &[0x32, 0x2b, 0x2a, 0x2a, 0xd5, 0xd5, 0xe2, 0xe2, 0x22, 0x22, 0x8a, 0x20, 0x37],
    ]
    .concat();
    let (_, error) = property::holds("arc", &damaged);
    assert!(error.is_some_and(|text| text.contains("gzip")));
}

/// The library repeats the name in its message.
#[test]
fn a_name_of_control_characters_in_an_archive_is_told_in_plain_letters() {
    let seed = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut bytes = fs::read(seed.join("../../fuzz/seeds/spc/in-a-tar-archive")).expect("a seed");
    let (name, checksum) = (1024 + 20, 1024 + 148);
    bytes[name] = 3;
    bytes[checksum..checksum + 7].fill(b'z');
    let (_, error) = property::holds("spc", &bytes);
    let error = error.expect("an error");
    assert!(error.contains("n\\u{3}n"), "{error}");
}

#[test]
#[ignore = "long: part of make test-long"]
fn damaged_seeds_break_no_promise() {
    let mut state = 1u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for (format, seed) in seeds() {
        for _ in 0..60 {
            let mut bytes = seed.clone();
            for _ in 0..1 + draw(4) {
                let at = draw(bytes.len());
                match draw(4) {
                    0 => bytes[at] = b"0123456789.,- \t\r\n\0\"xrw\xff"[draw(23)],
                    1 => bytes.insert(at, bytes[draw(bytes.len())]),
                    2 => bytes[at] ^= 1 << draw(8),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            property::holds(&format, &bytes);
            property::holds("detect", &bytes);
        }
    }
}
