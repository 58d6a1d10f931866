//! Feeds a trace reader with whatever libFuzzer makes up.
//!
//! `FTLAB_FORMAT` names the format; `detect`, or nothing, leaves it to be found.
#![no_main]

mod property;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FORMAT: LazyLock<String> =
    LazyLock::new(|| std::env::var("FTLAB_FORMAT").unwrap_or_else(|_| "detect".into()));

fuzz_target!(|bytes: &[u8]| {
    property::holds(&FORMAT, bytes);
});
