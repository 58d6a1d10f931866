//! A run as a sequence of frames, each with the blocks that have changed since the one before.

use ftlab::flash::{BlockKind, Cause};
use ftlab::frames::{Block, Figures, Frame};
use serde_json::{Map, Value, json};

/// What a block is, by its number: as `ftlab watch` names them.
const FREE: u8 = 0;
const DATA: u8 = 1;
const LOG: u8 = 2;
const TRANSLATION: u8 = 3;
/// A block of data or translation pages that is not full. Behind it each class of a separation has a state.
const OPEN: u8 = 4;

/// The blocks of the last frame: valid pages and state.
#[derive(Default)]
pub(crate) struct Recording {
    blocks: Vec<(u32, u8)>,
}

impl Recording {
    /// A frame for the page. Of the blocks that have changed it has how far each is from the one before, its valid
    /// pages, and what it is.
    pub(crate) fn add(&mut self, frame: &Frame) -> Value {
        let (mut gaps, mut valid, mut states) = (Vec::new(), Vec::new(), Vec::new());
        self.blocks.resize(frame.blocks.len(), (0, FREE));
        let mut last = -1_i64;
        for (number, (block, before)) in frame.blocks.iter().zip(&mut self.blocks).enumerate() {
            let now = (block.valid, state(block));
            if now != *before {
                *before = now;
                gaps.push(number as i64 - last);
                valid.push(now.0);
                states.push(now.1);
                last = number as i64;
            }
        }
        let causes = Cause::ALL.iter().map(|cause| cause.name().to_owned());
        let counts = frame.operations.into_iter().map(Value::from);
        let operations: Map<String, Value> = causes.zip(counts).collect();
        let pages = frame.blocks.iter().map(|block| block.pages).max();
        json!({
            "requests": frame.requests, "of": frame.of, "time_s": frame.time as f64 / 1e9,
            "so_far": figures(&frame.so_far), "window": figures(&frame.window),
            "planes": frame.planes, "operations": operations, "erases": frame.erases,
            "blocks": frame.blocks.len(), "pages": pages,
            "gaps": gaps, "valid": valid, "states": states,
        })
    }
}

fn figures(figures: &Figures) -> Value {
    let Figures { hit_ratio, write_amplification, mean_us, p99_us } = figures;
    json!({
        "hit_ratio": hit_ratio, "write_amplification": write_amplification, "mean_us": mean_us,
        "p99_us": p99_us,
    })
}

fn state(block: &Block) -> u8 {
    let has_room = block.written < block.pages;
    match (block.kind, block.class) {
        (Some(BlockKind::Data | BlockKind::Translation), _) if has_room => OPEN,
        (_, Some(class)) => OPEN + 1 + class,
        (None, _) => FREE,
        (Some(BlockKind::Log), _) => LOG,
        (Some(BlockKind::Translation), _) => TRANSLATION,
        (Some(BlockKind::Data), _) => DATA,
    }
}
