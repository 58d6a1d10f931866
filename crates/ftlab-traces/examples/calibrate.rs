//! Finds the table of distances that gives a model its published LRU curve:
//! `cargo run --release --example calibrate MODEL.toml [ROUNDS [SEED]]` prints `reuse.distances`.

use ftlab_traces::workload::Model;
use ftlab_traces::workload::model::calibrate;
use std::io::Write;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("expected the file of a model")?);
    let mut number = |usual: u64| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (rounds, seed) = (number(10)?, number(1)?);
    let mut model = Model::load(&path)?;
    let out = &mut std::io::stdout().lock();
    for (round, apart) in calibrate(&mut model, rounds as u32, seed)?.iter().enumerate() {
        writeln!(out, "# round {round}: {:.2} points apart, at most {:.2}", apart.mean, apart.max)?;
    }
    writeln!(out, "distances = [")?;
    for row in &model.reuse.distances {
        writeln!(out, "  [{}, {:.4}],", row[0], row[1])?;
    }
    writeln!(out, "]")?;
    Ok(())
}
