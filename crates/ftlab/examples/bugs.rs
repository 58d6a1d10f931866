//! The bugs that the laws must catch, as JSON: `cargo run --features bugs --example bugs`.

use ftlab::bugs;
use std::io;

fn main() -> serde_json::Result<()> {
    serde_json::to_writer(io::stdout().lock(), bugs::ALL)
}
