//! Where the next request starts, for each pattern.

use super::cachftl::Cachftl;
use super::config::Plan;
use super::pattern::Pattern;
use super::scatter::Permutation;
use super::zipf::Zipf;
use crate::rng::Rng;

/// The places of a pattern; each yields starts in bytes.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Sequential streams.
    Streams(Streams),
    /// Uniform over the slots.
    Uniform { slots: u64, align: u64 },
    /// Every slot once in each pass, in an order drawn for it: fio's random map.
    Passes { slots: u64, align: u64, order: Permutation, done: u64 },
    /// Zipf's law over the slots.
    Zipf { law: Zipf, spread: Option<Permutation>, align: u64 },
    /// Two uniform parts: the first `hot` ranks and the others.
    HotCold { slots: u64, hot: u64, access: f64, spread: Option<Permutation>, align: u64 },
    /// CACH-FTL's generator.
    Cachftl(Cachftl),
}

impl Place {
    /// The places that a plan asks for.
    pub(super) fn new(plan: &Plan, seed: u64) -> Self {
        let (slots, align) = (plan.slots(), plan.align);
        let scatter =
            || plan.scatter.then(|| Permutation::new(slots, &mut Rng::new(seed, "scatter")));
        match plan.pattern {
            Pattern::Seq | Pattern::Read | Pattern::Write | Pattern::Rw => {
                Place::Streams(Streams::new(plan))
            }
            Pattern::Rand | Pattern::RandRead | Pattern::RandWrite | Pattern::RandRw => {
                if plan.random_map {
                    let order = Permutation::new(slots, &mut Rng::new(seed, "scatter"));
                    Place::Passes { slots, align, order, done: 0 }
                } else {
                    Place::Uniform { slots, align }
                }
            }
            Pattern::Zipf => {
                Place::Zipf { law: Zipf::new(slots, plan.zipf_theta), spread: scatter(), align }
            }
            Pattern::HotCold => Place::HotCold {
                slots,
                hot: hot_slots(plan),
                access: plan.hot_access,
                spread: scatter(),
                align,
            },
            Pattern::Cachftl => Place::Cachftl(Cachftl::new(plan)),
            Pattern::Parts => unreachable!("parts have places of their own"),
        }
    }

    /// The start of the next request, which has this length in bytes.
    #[inline]
    pub(super) fn next(&mut self, length: u32, rng: &mut Rng) -> u64 {
        match self {
            Place::Streams(streams) => streams.next(length),
            Place::Uniform { slots, align } => rng.below(*slots) * *align,
            Place::Passes { slots, align, order, done } => {
                if *done == *slots {
                    *order = Permutation::new(*slots, rng);
                    *done = 0;
                }
                *done += 1;
                order.apply(*done - 1) * *align
            }
            Place::Zipf { law, spread, align } => spread_out(spread, law.draw(rng)) * *align,
            Place::HotCold { slots, hot, access, spread, align } => {
                let cold = *slots - *hot;
                let rank = if cold == 0 || rng.chance(*access) {
                    rng.below(*hot)
                } else {
                    *hot + rng.below(cold)
                };
                spread_out(spread, rank) * *align
            }
            Place::Cachftl(cachftl) => cachftl.next(length, rng),
        }
    }
}

/// Slots of the hot part.
pub(super) fn hot_slots(plan: &Plan) -> u64 {
    let slots = plan.slots();
    ((slots as f64 * plan.hot_share).round() as u64).clamp(1, slots)
}

#[inline]
fn spread_out(spread: &Option<Permutation>, rank: u64) -> u64 {
    spread.as_ref().map_or(rank, |s| s.apply(rank))
}

/// Sequential streams that take turns, each wrapping around in its own equal part of the space.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    /// Next start of each stream, bytes from the start of its part.
    next: Vec<u64>,
    turn: usize,
    /// Bytes of each part.
    part: u64,
    align: u64,
}

impl Streams {
    fn new(plan: &Plan) -> Self {
        let part = plan.size / u64::from(plan.streams) / plan.align * plan.align;
        Streams { next: vec![0; plan.streams as usize], turn: 0, part, align: plan.align }
    }

    #[inline]
    fn next(&mut self, length: u32) -> u64 {
        let turn = self.turn;
        self.turn = if turn + 1 == self.next.len() { 0 } else { turn + 1 };
        let mut start = self.next[turn];
        if start + u64::from(length) > self.part {
            start = 0;
        }
        self.next[turn] = (start + u64::from(length)).next_multiple_of(self.align);
        turn as u64 * self.part + start
    }
}
