//! The laws over every FTL of the standard catalogue. An FTL added to it inherits them.

use ftlab::catalog::Catalog;
use ftlab::laws::{LAWS, Law, hold};

/// Cases of all FTLs together.
const CASES: u64 = 6_000;

fn every_ftl_obeys(law: Law) {
    let catalog = Catalog::standard();
    let cases = hold(&catalog, law, CASES / catalog.ftls().len() as u64);
    eprintln!("{} cases", cases.unwrap_or_else(|broken| panic!("{broken}")));
}

#[test]
fn every_ftl_obeys_the_laws_after_every_request() {
    every_ftl_obeys(LAWS[0]);
}

#[test]
fn every_ftl_survives_thousands_of_writes_to_the_smallest_full_device() {
    every_ftl_obeys(LAWS[1]);
}

#[test]
fn nothing_is_lost_between_a_buffer_and_an_ftl() {
    every_ftl_obeys(LAWS[2]);
}

#[test]
fn power_cuts_lose_nothing_that_was_acknowledged() {
    every_ftl_obeys(LAWS[3]);
}

#[test]
fn a_part_of_a_page_costs_one_read() {
    every_ftl_obeys(LAWS[4]);
}

#[test]
fn parts_of_a_page_meet_in_ram() {
    every_ftl_obeys(LAWS[5]);
}

#[test]
fn the_same_seed_gives_the_same_operations() {
    every_ftl_obeys(LAWS[6]);
}

#[test]
fn what_cannot_work_is_refused_by_its_key() {
    every_ftl_obeys(LAWS[7]);
}

#[test]
fn what_is_in_range_is_refused_or_works() {
    every_ftl_obeys(LAWS[8]);
}

#[test]
fn what_is_not_obeyed_changes_nothing() {
    every_ftl_obeys(LAWS[9]);
}

#[test]
fn wear_levellers_keep_the_gap() {
    every_ftl_obeys(LAWS[10]);
}

#[test]
fn a_worn_device_is_read_to_the_last() {
    every_ftl_obeys(LAWS[11]);
}

#[test]
fn an_instrument_changes_nothing() {
    every_ftl_obeys(LAWS[12]);
}

#[test]
fn a_deeper_queue_is_never_slower() {
    every_ftl_obeys(LAWS[13]);
}

#[test]
fn the_books_of_a_result_balance() {
    every_ftl_obeys(LAWS[14]);
}

#[test]
fn the_laws_name_no_ftl_and_no_buffer() {
    let catalog = Catalog::standard();
    let ftls = catalog.ftls().iter().map(|entry| entry.name());
    let buffers = catalog.buffers().iter().map(|buffer| buffer.spec.name);
    let names: Vec<String> = ftls.chain(buffers).map(|name| format!("\"{name}\"")).collect();
    let laws = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/laws")).unwrap();
    let mut files = 0;
    for file in laws.map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&file).unwrap();
        let named = names.iter().find(|name| text.contains(*name));
        assert_eq!(named, None, "{}", file.display());
        files += 1;
    }
    assert!(files >= 4, "{files} files of laws");
}

#[test]
fn a_separation_hears_what_happens() {
    every_ftl_obeys(LAWS[15]);
}

#[test]
fn units_keep_to_the_isolation_of_their_handles() {
    every_ftl_obeys(LAWS[16]);
}

#[test]
fn zones_answer_as_the_standard_says() {
    every_ftl_obeys(LAWS[17]);
}

#[test]
fn a_copy_goes_on_as_the_original() {
    every_ftl_obeys(LAWS[18]);
}
