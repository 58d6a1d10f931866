//! The devices of the papers and of data sheets, as trees that a configuration starts from.

use crate::error::Error;
use serde_json::{Map, Value};

/// A named starting point for a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The paper that the numbers come from.
    pub source: &'static str,
    text: &'static str,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "tpftl-eurosys15",
        summary: "4 KB pages, 64 per block, 25/200/1500 us, 15 % over-provisioning, one plane",
        source: "Zhou et al., TPFTL, EuroSys 2015, Table 3",
        text: include_str!("presets/tpftl-eurosys15.toml"),
    },
    Preset {
        name: "cachftl",
        summary: "4 KB pages, 64 per block, 25/200/1500 us, 10 % over-provisioning, one plane",
        source: "Boukhobza et al., CACH-FTL, 2014, section 5",
        text: include_str!("presets/cachftl.toml"),
    },
    Preset {
        name: "mnftl-dac11",
        summary: "2 KB MLC pages, 128 per block, 60/800/1500 us, 4352 blocks + 1, no queue",
        source: "Qin et al., MNFTL, DAC 2011, section 5; block count derived from its Table 2",
        text: include_str!("presets/mnftl-dac11.toml"),
    },
    Preset {
        name: "dloop",
        summary: "8 GB over 16 planes on 2 channels, 25/200/2000 us, 25 ns per byte of transfer",
        source: "Abdurrab, Xie & Wang, DLOOP, IPDPS 2013, Table I",
        text: include_str!("presets/dloop.toml"),
    },
    Preset {
        name: "dftl-asplos09",
        summary: "2 KB pages, 64 per block, 130.9/405.9/1500 us, 3 % over-provisioning, one plane",
        source: "Gupta et al., DFTL, ASPLOS 2009, by FlashSim's constants",
        text: include_str!("presets/dftl-asplos09.toml"),
    },
    Preset {
        name: "onfi-slc",
        summary: "4 KB SLC pages, 128 per block, 35/350/1500 us, 200 MB/s, 4 channels of 2 dies of 2 planes",
        source: "Micron MT29F16G08ABACA data sheet, \"Features\"",
        text: include_str!("presets/onfi-slc.toml"),
    },
    Preset {
        name: "onfi-mlc",
        summary: "8 KB MLC pages, 256 per block, 50/1300/3000 us, 200 MB/s, 4 channels of 2 dies of 2 planes",
        source: "Micron MT29F64G08CBAAA data sheet, \"Features\"",
        text: include_str!("presets/onfi-mlc.toml"),
    },
    Preset {
        name: "onfi-tlc",
        summary: "16 KB TLC pages, 50/400/5000 us, 1.2 GB/s, 4 channels of 2 dies of 4 planes",
        source: "Kioxia at ISSCC 2021 for read and program times; the rest is our choice",
        text: include_str!("presets/onfi-tlc.toml"),
    },
    Preset {
        name: "onfi-qlc",
        summary: "16 KB QLC pages, 100/1640/10000 us, 1.2 GB/s, 4 channels of 2 dies of 4 planes",
        source: "Khakifirooz et al., ISSCC 2021, for the program time; the rest is our choice",
        text: include_str!("presets/onfi-qlc.toml"),
    },
    Preset {
        name: "nvme-8x4x2x4",
        summary: "8 channels x 4 chips x 2 dies x 4 planes of onfi-tlc",
        source: "channels and chips as MQSim has them (Tavakkol et al., FAST 2018); NAND as in onfi-tlc",
        text: include_str!("presets/nvme-8x4x2x4.toml"),
    },
    Preset {
        name: "warp-a2",
        summary: "14 GiB, 4085 units of 4 MiB, 8 initially isolated placement handles, 1 % reserve",
        source: "WARP, FAST 2026: the emulated drive A2 by its artifact's counters, units 1/32 as large",
        text: include_str!("presets/warp-a2.toml"),
    },
];

/// The settings of the preset called `name`.
///
/// # Errors
/// [`Error::Unknown`] when there is none.
pub fn tree(name: &str) -> Result<Map<String, Value>, Error> {
    let preset = PRESETS
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| Error::unknown("preset", name, PRESETS.iter().map(|p| p.name)))?;
    Ok(toml::from_str(preset.text).expect("presets are checked by a test"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn every_preset_resolves() {
        for preset in PRESETS {
            let mut user = Map::new();
            user.insert("preset".into(), Value::String(preset.name.into()));
            Catalog::standard().resolve(&user).unwrap_or_else(|e| panic!("{}: {e}", preset.name));
        }
    }
}
