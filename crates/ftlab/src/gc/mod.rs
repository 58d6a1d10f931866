//! Victim selection: the closed block that garbage collection takes next. One file for each policy.
//!
//! To add one, write `gc/NAME.rs` with a type that implements [`VictimPolicy`] and
//! [`PolicyDesign`]. Then add its `mod` and its line to [`policies`].

mod by_valid;
mod candidates;
mod cat;
mod config;
mod cost_benefit;
mod cost_hotness;
mod d_choices;
mod fifo;
mod greedy;
mod hotness;
mod in_order;
mod numbered;
mod ramcloud;
mod two_region;
mod windowed_greedy;

pub(crate) use by_valid::ByValid;
pub use candidates::Candidates;
pub use config::{Copies, CopyBack, GcConfig, GcMode, GcStart, Opens};
pub use d_choices::ChoicesConfig;
pub use hotness::Hotness;

use crate::class::Class;
use crate::error::Error;
use crate::named::{List, Named, Spec};
use crate::settings::{Group, Sections};
use crate::units::{Lpn, Nanos, Pbn};
use cost_hotness::CostHotness;
use dyn_clone::DynClone;
use greedy::{Greedy, GreedyInVolume};
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The default policy.
pub const GREEDY: &str = "greedy";

/// The policies of this project.
#[must_use]
pub fn policies() -> Policies {
    let greedy: BuildPolicy = Arc::new(|pool, _| match pool.is_volume {
        true => Ok(Victims::Other(Box::new(GreedyInVolume::new(pool)))),
        false => Ok(Victims::greedy(pool)),
    });
    List::new("gc.policy")
        .with(Named::new::<()>(Greedy::SPEC, greedy))
        .with(policy::<cost_benefit::CostBenefit>())
        .with(policy::<fifo::Fifo>())
        .with(policy::<d_choices::Random>())
        .with(policy::<d_choices::DChoices>())
        .with(policy::<windowed_greedy::WindowedGreedy>())
        .with(policy::<ramcloud::Ramcloud>())
        .with(policy::<cat::CostAgeTime>())
        .with(Named::new::<()>(CostHotness::SPEC, CostHotness::build()))
        .with(policy::<two_region::TwoRegionGreedy>())
        .with(policy::<two_region::TwoRegionFifo>())
}

/// A policy as an entry of a list.
#[must_use]
pub fn policy<P: PolicyDesign>() -> Named<BuildPolicy> {
    let build = |pool: &Pool, settings: &Sections| {
        let victims: Box<dyn VictimPolicy> = Box::new(P::build(pool, P::Settings::of(settings)));
        Ok(Victims::Other(victims))
    };
    Named::new::<P::Settings>(P::SPEC, Arc::new(build))
}

/// Policies by name.
pub type Policies = List<BuildPolicy>;

/// Makes a policy without closed blocks; it takes its own settings from all settings. An error
/// states why it cannot work on the pool.
pub type BuildPolicy = Arc<dyn Fn(&Pool, &Sections) -> Result<Victims, Error> + Send + Sync>;

/// The blocks that a policy chooses from.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// Blocks of the device, or of a part of it; they are numbered from 0.
    pub blocks: u32,
    /// Pages in each.
    pub pages_per_block: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// GC starts by garbage: the policy hears of blocks as candidates, which have
    /// [numbers](Closed::number).
    pub is_volume: bool,
    /// Pages of the host, if a policy may [use](VictimPolicy::watches_pages) their places.
    pub logical_pages: Option<u32>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Pages programmed in the pool.
    pub programs: u64,
    /// Time of the host: when it issued the request under way. It continues from warm-up to run.
    pub time: Nanos,
}

/// A block that was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The block.
    pub pbn: Pbn,
    /// Valid pages in it.
    pub valid: u32,
    /// The class of its content.
    pub class: Class,
    /// The moment.
    pub at: Moment,
    /// Its place in the order in which blocks were opened, where GC starts by garbage. It decides
    /// among equals.
    pub number: Option<u64>,
}

/// A page in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The page.
    pub lpn: Lpn,
    /// The block.
    pub pbn: Pbn,
    /// Whether the host has written it there; otherwise GC moved it.
    pub is_written: bool,
}

impl Closed {
    /// A block of user pages, where time does not matter.
    #[must_use]
    pub fn untimed(pbn: Pbn, valid: u32) -> Self {
        Closed { pbn, valid, class: Class::HOST, at: Moment::default(), number: None }
    }
}

/// The events of the closed blocks of a pool, and the choice of a policy.
pub trait VictimPolicy: Send + Debug + DynClone {
    /// A block was filled.
    fn close(&mut self, block: Closed);
    /// A page of a closed block was invalidated; `valid` are left. `now` counts page programs.
    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64);
    /// A closed block with `valid` valid pages is no longer a candidate.
    fn remove(&mut self, pbn: Pbn, valid: u32);
    /// The block to collect, `None` only when there is no candidate. It remains a candidate until
    /// removed.
    fn choose(&mut self, now: Moment) -> Option<Pbn>;

    /// Whether it uses the pages of each block.
    fn watches_pages(&self) -> bool {
        false
    }

    /// A page is at this place from now on, and nowhere else. Only a policy that watches pages
    /// hears of it.
    fn placed(&mut self, _page: Placed, _now: Moment) {}

    /// The host trimmed a page. Only a policy that watches pages hears of it.
    fn trimmed(&mut self, _lpn: Lpn) {}
}

/// A policy that can be built from settings.
pub trait PolicyDesign: VictimPolicy + Sized + 'static {
    /// Its own settings, in the table `gc`.
    type Settings: Group;
    /// What it is.
    const SPEC: Spec;
    /// The policy without closed blocks.
    fn build(pool: &Pool, own: Self::Settings) -> Self;
}

dyn_clone::clone_trait_object!(VictimPolicy);

/// The closed blocks of a pool under a policy. The default policy is called without indirection,
/// because it hears of every page that is invalidated.
#[derive(Clone, Debug)]
pub enum Victims {
    /// Fewest valid pages.
    Greedy(Greedy),
    /// Any other.
    Other(Box<dyn VictimPolicy>),
    /// Any, where GC starts by garbage.
    Volume(Box<Candidates>),
}

impl Victims {
    /// Those of the greedy policy.
    #[must_use]
    pub fn greedy(pool: &Pool) -> Self {
        Victims::Greedy(Greedy::new(pool.blocks))
    }

    /// Whether the policy may use the [time](Moment::time) of a moment.
    #[inline]
    #[must_use]
    pub const fn hear_time(&self) -> bool {
        !matches!(self, Victims::Greedy(_))
    }

    /// A block was filled.
    pub fn close(&mut self, block: Closed) {
        match self {
            Victims::Greedy(policy) => policy.close(block),
            Victims::Other(policy) => policy.close(block),
            Victims::Volume(candidates) => candidates.close(block),
        }
    }

    /// A page of a closed block was invalidated; `valid` are left. `now` counts page programs.
    #[inline]
    pub fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        match self {
            Victims::Greedy(policy) => policy.shrink(pbn, valid, now),
            Victims::Other(policy) => policy.shrink(pbn, valid, now),
            Victims::Volume(candidates) => candidates.shrink(pbn, valid, now),
        }
    }

    /// Superseded pages of the closed blocks, where GC starts by garbage.
    #[must_use]
    pub const fn garbage(&self) -> Option<u64> {
        match self {
            Victims::Volume(candidates) => Some(candidates.garbage()),
            _ => None,
        }
    }

    /// A closed block with `valid` valid pages is no longer a candidate.
    pub fn remove(&mut self, pbn: Pbn, valid: u32) {
        match self {
            Victims::Greedy(policy) => policy.remove(pbn, valid),
            Victims::Other(policy) => policy.remove(pbn, valid),
            Victims::Volume(candidates) => candidates.remove(pbn, valid),
        }
    }

    /// The policy, if it may use the pages of each block.
    pub fn watching(&mut self) -> Option<&mut dyn VictimPolicy> {
        let policy: &mut dyn VictimPolicy = match self {
            Victims::Greedy(_) => return None,
            Victims::Other(policy) => policy.as_mut(),
            Victims::Volume(candidates) => return candidates.policy().watching(),
        };
        policy.watches_pages().then_some(policy)
    }

    /// The block to collect; it remains a candidate until removed.
    pub fn choose(&mut self, now: Moment) -> Option<Pbn> {
        match self {
            Victims::Greedy(policy) => policy.choose(now),
            Victims::Other(policy) => policy.choose(now),
            Victims::Volume(candidates) => candidates.choose(now),
        }
    }
}

/// The configured garbage collection: the settings, and the policy that they name.
#[derive(Clone)]
pub struct Gc {
    config: GcConfig,
    policy: BuildPolicy,
    settings: Sections,
    seed: u64,
    logical_pages: Option<u32>,
}

impl Gc {
    /// The policy that the settings name, from a list.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is none of that name, [`Error::Config`] for a setting of it that is
    /// out of range.
    pub fn new(
        config: &GcConfig,
        policies: &Policies,
        settings: &Sections,
        seed: u64,
    ) -> Result<Self, Error> {
        let policy = policies.find(&config.policy, &[])?.checked(settings)?.clone();
        Ok(Gc {
            config: config.clone(),
            policy,
            settings: settings.clone(),
            seed,
            logical_pages: None,
        })
    }

    /// Seed of everything random.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The same in a pool that informs its policy of the place of each of the `logical_pages` pages
    /// of the host.
    #[must_use]
    pub fn telling(self, logical_pages: Option<u32>) -> Self {
        Gc { logical_pages, ..self }
    }

    fn pool(&self, blocks: u32, pages_per_block: u32, is_volume: bool) -> Pool {
        let (seed, logical_pages) = (self.seed, self.logical_pages);
        Pool { blocks, pages_per_block, seed, is_volume, logical_pages }
    }

    /// No closed blocks, in a pool of `blocks` blocks.
    ///
    /// # Errors
    /// [`Error::Config`] when the policy cannot work on such a pool.
    pub fn victims(&self, blocks: u32, pages_per_block: u32) -> Result<Victims, Error> {
        (self.policy)(&self.pool(blocks, pages_per_block, false), &self.settings)
    }

    /// The same where a block becomes a candidate when it has enough garbage. Where GC starts by
    /// garbage that is a share `gc.garbage`, otherwise one page.
    ///
    /// # Errors
    /// As [`Gc::victims`].
    pub fn candidates(&self, blocks: u32, pages_per_block: u32) -> Result<Victims, Error> {
        let pool = self.pool(blocks, pages_per_block, true);
        let policy = (self.policy)(&pool, &self.settings)?;
        let share = match self.config.start {
            GcStart::Garbage => self.config.garbage.0,
            GcStart::FreeBlocks | GcStart::EachPage => 0.0,
        };
        Ok(Victims::Volume(Box::new(Candidates::new(policy, &pool, share))))
    }
}

impl Deref for Gc {
    type Target = GcConfig;
    fn deref(&self) -> &GcConfig {
        &self.config
    }
}

impl DerefMut for Gc {
    fn deref_mut(&mut self) -> &mut GcConfig {
        &mut self.config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn victims(policy: &str) -> Victims {
        let config = GcConfig { policy: policy.into(), ..GcConfig::default() };
        let gc = Gc::new(&config, &policies(), &Sections::default(), 1).expect("a policy");
        gc.victims(100, 8).expect("a pool that it accepts")
    }

    /// After `programs` programs, each of which takes a microsecond.
    const fn at(programs: u64) -> Moment {
        Moment { programs, time: 1000 * programs }
    }

    /// Blocks 7, 3 and 5 are closed in this order; 3 and 5 lose pages.
    fn three_blocks(policy: &str) -> Victims {
        let mut victims = victims(policy);
        for (block, programs) in [(7, 10), (3, 20), (5, 30)] {
            victims.close(Closed { at: at(programs), ..Closed::untimed(Pbn(block), 6) });
        }
        victims.shrink(Pbn(5), 5, 40);
        victims.shrink(Pbn(3), 5, 41);
        victims
    }

    #[test]
    fn greedy_takes_the_fewest_valid_pages_and_then_the_lowest_block() {
        let mut victims = three_blocks("greedy");
        assert_eq!(victims.choose(at(50)), Some(Pbn(3)));
        victims.shrink(Pbn(5), 4, 51);
        assert_eq!(victims.choose(at(52)), Some(Pbn(5)));
        victims.remove(Pbn(5), 4);
        victims.remove(Pbn(3), 5);
        assert_eq!(victims.choose(at(53)), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(at(54)), None);
    }

    #[test]
    fn fifo_takes_the_block_closed_first() {
        let mut victims = three_blocks("fifo");
        assert_eq!(victims.choose(at(50)), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(at(50)), Some(Pbn(3)));
    }

    /// Scores at 50: block 7: 40 x 2/12; block 5: 10 x 3/10; block 3: 9 x 3/10.
    #[test]
    fn cost_benefit_weighs_age_against_valid_pages() {
        let mut victims = three_blocks("cost-benefit");
        assert_eq!(victims.choose(at(50)), Some(Pbn(7)));
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(at(50)), Some(Pbn(5)));
        for valid in (0..5).rev() {
            victims.shrink(Pbn(3), valid, 49);
        }
        assert_eq!(victims.choose(at(50)), Some(Pbn(3)), "an empty block costs nothing");
    }

    /// Scores at 50 us: block 7: 2/6 x sqrt(40); block 5: 3/5 x sqrt(20); block 3: 3/5 x sqrt(30).
    #[test]
    fn ramcloud_weighs_the_time_since_a_block_was_filled() {
        let mut victims = three_blocks("ramcloud-cost-benefit");
        assert_eq!(victims.choose(at(50)), Some(Pbn(3)));
        victims.remove(Pbn(3), 5);
        assert_eq!(victims.choose(at(50)), Some(Pbn(5)));
        assert_eq!(victims.choose(at(31)), Some(Pbn(7)), "block 5 is still young");
        victims.remove(Pbn(5), 5);
        victims.remove(Pbn(7), 6);
        assert_eq!(victims.choose(at(50)), None);
    }

    #[test]
    fn random_is_fair_and_many_choices_are_greedy() {
        let mut victims = three_blocks("random");
        let mut drawn = [0; 100];
        (0..3000).for_each(|_| drawn[victims.choose(at(50)).expect("three blocks").index()] += 1);
        assert!([3, 5, 7].iter().all(|b: &usize| (900..1100).contains(&drawn[*b])), "{drawn:?}");
        let mut victims = three_blocks("d-choices");
        victims.shrink(Pbn(7), 0, 45);
        let hits = (0..1000).filter(|_| victims.choose(at(50)) == Some(Pbn(7))).count();
        assert!(hits > 950, "10 draws of 3 miss one of them in 2 %: {hits}");
    }
}
