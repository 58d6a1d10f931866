//! The work before measuring starts (choices.md#warmup): a mode is a row of a table, and its phases
//! are its plan.
//!
//! [`crate::drive`] executes a plan; [`steady`] decides when the phase of a mode that ends by rule
//! is over.

mod pages;
mod steady;

pub use pages::Pages;
pub use steady::{SteadyState, Tolerance, WINDOWS};

use crate::figures::figures;
use crate::units::Ratio;
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// Most passes that can be configured.
const MOST_TIMES: u32 = 1000;

/// Every mode.
pub const MODES: &[Mode] = &[
    Mode {
        name: "none",
        argument: Argument::None,
        meaning: "nothing: an erased device (the default)",
        steps: &[],
    },
    Mode {
        name: "footprint",
        argument: Argument::None,
        meaning: "every request of the input once, as a write, as FlashSim does",
        steps: &[once(Source::InputAsWrites)],
    },
    Mode {
        name: "replay",
        argument: Argument::Times(1),
        meaning: "the input, K times",
        steps: &[as_given(Source::Input)],
    },
    Mode {
        name: "sequential",
        argument: Argument::None,
        meaning: "every logical page once, in order",
        steps: &[once(Source::Sequential)],
    },
    Mode {
        name: "random",
        argument: Argument::Times(1),
        meaning: "`sequential`, then K times the capacity in random page writes",
        steps: &[once(Source::Sequential), as_given(Source::Uniform)],
    },
    Mode {
        name: "steady",
        argument: Argument::Within(Tolerance::DEFAULT),
        meaning: "every page that the input touches once, in order; then the input, until steady \
                  within X %",
        steps: &[once(Source::Touched), as_given(Source::Input)],
    },
    Mode {
        name: "steady-random",
        argument: Argument::Within(Tolerance::DEFAULT),
        meaning: "`sequential`, then random page writes until steady within X %",
        steps: &[once(Source::Sequential), as_given(Source::Uniform)],
    },
];

/// A kind of warm-up.
#[derive(Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name, before the argument.
    pub name: &'static str,
    /// The argument that it takes, with the default.
    pub argument: Argument,
    /// Its effect, in a line.
    pub meaning: &'static str,
    steps: &'static [Step],
}

/// The argument of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    None,
    /// The number of passes.
    Times(u32),
    /// The permitted variation of write amplification at the end.
    Within(Tolerance),
}

/// A phase of a mode whose argument is still open.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    source: Source,
    /// Until the condition of the argument holds; otherwise one pass.
    as_given: bool,
}

const fn once(source: Source) -> Step {
    Step { source, as_given: false }
}

const fn as_given(source: Source) -> Step {
    Step { source, as_given: true }
}

/// A part of a warm-up: passes over a source, until they are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The source of its requests.
    pub source: Source,
    /// Its end.
    pub until: Until,
}

/// The source of the requests of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The input itself.
    Input,
    /// The input, each request as a write.
    InputAsWrites,
    /// Every page that the input touches, in order.
    Touched,
    /// Every logical page, in order.
    Sequential,
    /// Pages drawn from all logical pages with equal probability. A pass has as many as the
    /// capacity; a pass of a phase that ends by rule is a window.
    Uniform,
}

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After this number of passes.
    Passes(u32),
    /// When write amplification varies no more than this, or cannot reach that.
    Steady(Tolerance),
}

impl Source {
    const fn reads_the_input(self) -> bool {
        matches!(self, Source::Input | Source::InputAsWrites | Source::Touched)
    }
}

/// The work before measuring starts: a mode with its argument. Counters are reset; state remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Warmup {
    mode: &'static Mode,
    argument: Argument,
}

crate::figures::figure_kinds! { "text": Warmup; }

crate::text_value!(
    Warmup,
    "none, footprint, replay:K, sequential, random:K, steady:X% or steady-random:X%"
);

impl Warmup {
    /// Nothing: an erased device.
    pub const NONE: Warmup = Warmup { mode: &MODES[0], argument: MODES[0].argument };

    /// The phases, in order.
    pub fn plan(self) -> impl Iterator<Item = Phase> {
        let given = match self.argument {
            Argument::None => Until::Passes(1),
            Argument::Times(passes) => Until::Passes(passes),
            Argument::Within(tolerance) => Until::Steady(tolerance),
        };
        self.mode.steps.iter().map(move |step| Phase {
            source: step.source,
            until: if step.as_given { given } else { Until::Passes(1) },
        })
    }

    /// Whether the input is read before the measured phase.
    #[must_use]
    pub fn reads_the_input(self) -> bool {
        self.plan().any(|phase| phase.source.reads_the_input() && phase.until != Until::Passes(0))
    }

    /// The permitted variation of write amplification at the end, for a mode that ends by rule.
    #[must_use]
    pub const fn tolerance(self) -> Option<Tolerance> {
        match self.argument {
            Argument::Within(tolerance) => Some(tolerance),
            Argument::None | Argument::Times(_) => None,
        }
    }
}

impl Argument {
    /// An argument of this kind.
    fn parse(self, text: &str) -> Option<Argument> {
        match self {
            Argument::None => None,
            Argument::Times(_) => {
                text.parse().ok().filter(|times| *times <= MOST_TIMES).map(Argument::Times)
            }
            Argument::Within(_) => Ratio::parse(text)
                .ok()
                .and_then(|ratio| Tolerance::new(ratio.0))
                .map(Argument::Within),
        }
    }

    const fn range(self) -> &'static str {
        match self {
            Argument::None => "nothing",
            Argument::Times(_) => "K from 0 to 1000",
            Argument::Within(_) => "X from 0.1 to 50",
        }
    }
}

impl Mode {
    /// Its written form: `replay:K`.
    #[must_use]
    pub fn form(&self) -> String {
        let argument = match self.argument {
            Argument::None => "",
            Argument::Times(_) => ":K",
            Argument::Within(_) => ":X%",
        };
        format!("{}{argument}", self.name)
    }
}

/// The written forms of all modes.
fn forms() -> String {
    let mut forms: Vec<String> = MODES.iter().map(Mode::form).collect();
    let last = forms.pop().unwrap_or_default();
    format!("{} or {last}", forms.join(", "))
}

impl FromStr for Warmup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let takes = |mode: &&Mode| argument.is_none() || mode.argument != Argument::None;
        let Some(mode) = MODES.iter().filter(takes).find(|mode| mode.name == name) else {
            return Err(format!("found {text:?}, expected {}", forms()));
        };
        let argument = match argument {
            None => Some(mode.argument),
            Some(argument) => mode.argument.parse(argument),
        };
        let argument = argument.ok_or_else(|| {
            format!("found {text:?}, expected {} with {}", mode.form(), mode.argument.range())
        })?;
        Ok(Warmup { mode, argument })
    }
}

impl TryFrom<String> for Warmup {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Display for Warmup {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let name = self.mode.name;
        match self.argument {
            Argument::None => write!(f, "{name}"),
            Argument::Times(times) => write!(f, "{name}:{times}"),
            Argument::Within(tolerance) => write!(f, "{name}:{}%", tolerance.percent()),
        }
    }
}

impl From<Warmup> for String {
    fn from(warmup: Warmup) -> String {
        warmup.to_string()
    }
}

figures! {
    /// The work done before measuring started.
    #[derive(PartialEq)]
    pub struct WarmupReport {
        pub new(mode: Warmup);
        /// `run.warmup`, with its default filled in.
        mode: Warmup = mode, unit "text";
        /// Requests before measuring; a page that the mode itself writes counts as one.
        requests: u64 = 0, unit "requests";
        /// Pages that these requests write.
        host_page_writes: u64 = 0, unit "pages";
        /// Blocks erased before measuring, without those for checkpoints and for trims that last.
        block_erases: u64 = 0, unit "blocks";
        /// Passes over the input.
        passes: Option<u64> = None, unit "passes", null "if the mode does not read the input";
        /// Minimum of page writes in a window.
        window_page_writes: Option<u64> = None, unit "pages", null "if the mode has no rule (warmup.md)";
        /// Write amplification of each window.
        windows: Option<Vec<f64>> = None, unit "list of factors", null "if the mode has no rule";
        /// Of the last five windows: (highest - lowest) / mean.
        spread: Option<f64> = None, unit "ratio", better Lower, null "if the mode has no rule, and of fewer windows";
        /// Of the last five windows: change of the least-squares line from first to last / mean.
        drift: Option<f64> = None, unit "ratio", null "if the mode has no rule, and of fewer windows";
        /// Whether the rule was met.
        steady: Option<bool> = None, unit "yes or no",
            null "if the mode has no rule, and if hardly anything is written to flash";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Kind, Value};

    #[test]
    fn every_mode_is_read_as_it_is_written() {
        for (text, written) in [
            ("none", "none"),
            ("footprint", "footprint"),
            ("replay", "replay:1"),
            ("replay:0", "replay:0"),
            ("sequential", "sequential"),
            ("random:1000", "random:1000"),
            ("steady", "steady:5%"),
            ("steady:0.1", "steady:10%"),
            ("steady-random:2.5%", "steady-random:2.5%"),
        ] {
            let warmup: Warmup = text.parse().expect(text);
            assert_eq!(warmup.to_string(), written);
            assert_eq!(written.parse(), Ok(warmup));
        }
        assert_eq!(Warmup::NONE.to_string(), "none");
    }

    #[test]
    fn a_wrong_argument_is_told_what_is_right() {
        for (text, expected) in [
            ("replay:-1", "replay:K with K from 0 to 1000"),
            ("random:1001", "random:K with K from 0 to 1000"),
            ("steady:0.01%", "steady:X% with X from 0.1 to 50"),
            ("sequential:2", "none, footprint, replay:K, sequential, random:K, steady:X% or "),
            ("", "none, footprint"),
        ] {
            let error = text.parse::<Warmup>().expect_err(text);
            assert!(error.starts_with(&format!("found {text:?}, expected {expected}")), "{error}");
        }
    }

    #[test]
    fn a_mode_that_serves_no_pass_of_the_input_does_not_read_it() {
        let reads = |text: &str| text.parse::<Warmup>().expect(text).reads_the_input();
        assert!(["footprint", "replay", "steady"].into_iter().all(reads));
        let others = ["none", "replay:0", "sequential", "random:2", "steady-random"];
        assert!(!others.into_iter().any(reads));
    }

    #[test]
    fn the_manual_and_the_list_of_settings_have_every_mode() {
        assert_eq!(<Warmup as Value>::KIND, Kind::Text(forms().leak()));
        let manual = include_str!("../../../../docs/warmup.md");
        for mode in MODES {
            let row = format!("| `{}` | {} |", mode.form(), mode.meaning);
            assert!(manual.contains(&row), "docs/warmup.md has no {row}");
        }
    }
}
