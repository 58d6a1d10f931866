//! The plane for a page of the host.
//!
//! ```text
//! single        one frontier for the whole device, in whichever plane its block lies (FlashSim)
//! striped       LPN mod planes (DLOOP, equation 1): a page never leaves its plane
//! striped-hot   striped at first; a page that is written in a plane with less spare room than its
//!               share of the writes calls for moves to one with more (DLOOP's future work)
//! round-robin   the next plane in turn
//! least-busy    the plane that is free first, its channel included, as a controller's queues tell
//! ```
//!
//! Planes are counted in an allocation order: `CWDP` goes from channel to channel first, then to
//! the next way (chip), die and plane (Hu et al., ICS 2011). Round-robin and least-busy skip a
//! plane that is full of valid pages, since GC could not reclaim space there.
//!
//! To add one, write `placement/allocation/NAME.rs` with a type that implements [`Placement`] and
//! [`PlacementDesign`]. Then add its line to [`placements`].

#![allow(clippy::inline_always)] // part of every page

mod least_busy;
mod round_robin;
mod striped_hot;

use crate::flash::{Flash, Geometry, Media};
use crate::named::{List, Named, Spec};
use crate::placement::Class;
use crate::placement::separation::Separator;
use crate::request::Meta;
use crate::settings::{Group, Sections};
use crate::units::{Lpn, Ppn, Vtpn};
use dyn_clone::DynClone;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// One frontier and one free pool for all planes.
pub const SINGLE: &str = "single";
/// By logical page.
pub const STRIPED: &str = "striped";

/// The placements of this project.
#[must_use]
pub fn placements() -> Placements {
    let spec = |name, summary, source| Spec { name, summary, source };
    let single = spec(SINGLE, "one frontier and one free pool for all planes", "FlashSim");
    let striped =
        spec(STRIPED, "by logical page: a page never leaves its plane", "DLOOP, equation 1");
    List::new("ftl.placement")
        .with(Named::new::<()>(single, BuildPlacement::Single))
        .with(Named::new::<()>(striped, BuildPlacement::Striped))
        .with(placement::<striped_hot::StripedHot>())
        .with(placement::<round_robin::RoundRobin>())
        .with(placement::<least_busy::LeastBusy>())
}

/// A placement as an entry of a list.
#[must_use]
pub fn placement<P: PlacementDesign>() -> Named<BuildPlacement> {
    let build = |planes: &PlaneSet<'_>, settings: &Sections| {
        Box::new(P::build(planes, P::Settings::of(settings))) as Box<dyn Placement>
    };
    Named::new::<P::Settings>(P::SPEC, BuildPlacement::Free(Arc::new(build)))
}

/// Placements by name.
pub type Placements = List<BuildPlacement>;

/// The assignment of pages to planes.
#[derive(Clone)]
pub enum BuildPlacement {
    /// All planes together are one.
    Single,
    /// A page remains in the plane that its number determines.
    Striped,
    /// A rule that may choose any plane that is not full; it takes its own settings from all
    /// settings.
    Free(Arc<BuildFree>),
}

/// Makes a placement on an empty device.
pub type BuildFree = dyn Fn(&PlaneSet<'_>, &Sections) -> Box<dyn Placement> + Send + Sync;

/// The planes that a placement chooses from.
#[derive(Clone, Copy, Debug)]
pub struct PlaneSet<'a> {
    /// Plane numbers in the order of allocation (`ftl.order`).
    pub order: &'a [u32],
    /// The device.
    pub geometry: &'a Geometry,
    /// Valid pages that a plane may hold, so that GC finds room in it.
    pub most_valid: u32,
}

/// Chooses a plane for each page of the host.
pub trait Placement: Send + Debug + DynClone {
    /// The plane for a page: one that accepts it ([`Room::takes`]).
    ///
    /// # Panics
    /// When all planes are full of valid pages: the device is smaller than its logical pages.
    fn place(&mut self, lpn: Lpn, room: &mut Room, flash: &Flash) -> u32;

    /// Whether it uses [the times at which planes are free](Flash::plane_free_at).
    fn watches_planes(&self) -> bool {
        false
    }

    /// A plane that was skipped because it was full has room again.
    fn has_room_again(&mut self, _plane: u32) {}
}

/// A placement that can be built from settings.
pub trait PlacementDesign: Placement + Sized + 'static {
    /// Its own settings, in the table `ftl`.
    type Settings: Group;
    /// What it is.
    const SPEC: Spec;
    /// The placement on an empty device.
    fn build(planes: &PlaneSet<'_>, own: Self::Settings) -> Self;
}

dyn_clone::clone_trait_object!(Placement);

/// The order in which planes are counted: a permutation of channel, way, die and plane; the first
/// changes fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PlaneOrder([char; 4]);

crate::text_value!(PlaneOrder, "the letters C, W, D and P in any order");

impl TryFrom<String> for PlaneOrder {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let letters: Vec<char> = text.to_ascii_uppercase().chars().collect();
        let all = "CWDP".chars().all(|letter| letters.contains(&letter));
        match letters[..] {
            [a, b, c, d] if all => Ok(PlaneOrder([a, b, c, d])),
            _ => Err(format!("found {text:?}, expected the letters C, W, D and P in any order")),
        }
    }
}

impl From<PlaneOrder> for String {
    fn from(order: PlaneOrder) -> String {
        order.0.iter().collect()
    }
}

impl PlaneOrder {
    /// The order of plane numbers: plane, die, way, channel.
    pub const PDWC: Self = PlaneOrder(['P', 'D', 'W', 'C']);
    /// Channel, way, die, plane.
    pub const CWDP: Self = PlaneOrder(['C', 'W', 'D', 'P']);
    /// Die, plane, channel, way.
    pub const DPCW: Self = PlaneOrder(['D', 'P', 'C', 'W']);
    /// Way, channel, plane, die.
    pub const WCPD: Self = PlaneOrder(['W', 'C', 'P', 'D']);

    /// The planes of a device in this order.
    #[must_use]
    pub fn planes(self, geometry: &Geometry) -> Vec<u32> {
        let [channels, ways, dies, planes] = geometry.shape();
        // The size of each level, and the distance of its plane numbers.
        let level = |letter: char| match letter {
            'C' => (channels, ways * dies * planes),
            'W' => (ways, dies * planes),
            'D' => (dies, planes),
            _ => (planes, 1),
        };
        let levels = self.0.map(level);
        let plane_at = |mut position: u32| {
            let mut plane = 0;
            for (count, stride) in levels {
                plane += position % count * stride;
                position /= count;
            }
            plane
        };
        (0..geometry.planes()).map(plane_at).collect()
    }
}

/// The place for a page of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The plane.
    pub plane: u32,
    /// The pages with which it shares a block.
    pub class: Class,
}

/// Chooses planes, and classes where pages are separated. A device with one frontier counts as one plane, number 0.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// Plane numbers in the order of allocation.
    order: Vec<u32>,
    rule: Rule,
    room: Room,
}

#[derive(Clone, Debug)]
enum Rule {
    Single,
    Striped,
    Free(Box<dyn Placement>),
    /// One of the other rules, and classes.
    Separated(Box<Separated>),
}

#[derive(Clone, Debug)]
struct Separated {
    plane: Rule,
    separator: Separator,
}

impl Rule {
    /// The plane for a page of the host.
    #[inline(always)]
    fn plane(&mut self, lpn: Lpn, order: &[u32], room: &mut Room, flash: &impl Media) -> u32 {
        match self {
            Rule::Striped => order[lpn.index() % order.len()],
            Rule::Free(placement) => placement.place(lpn, room, flash.flash()),
            Rule::Single | Rule::Separated(_) => 0,
        }
    }
}

/// The number of valid pages of each plane, where pages may go to any plane.
#[derive(Clone, Debug)]
pub struct Room {
    valid: Vec<u32>,
    most: u32,
    /// Planes that were skipped because they were full.
    passed_by: Vec<bool>,
}

impl Room {
    fn new(planes: u32, most: u32) -> Self {
        let planes = planes as usize;
        Room { valid: vec![0; planes], most, passed_by: vec![false; planes] }
    }

    /// Valid pages of each plane.
    #[must_use]
    pub fn valid(&self) -> &[u32] {
        &self.valid
    }

    /// Whether a plane accepts another page of the host. A plane that does not is skipped.
    pub fn takes(&mut self, plane: u32) -> bool {
        let takes = self.valid[plane as usize] < self.most;
        self.passed_by[plane as usize] = !takes;
        takes
    }

    /// A page was superseded. Returns whether its plane is to be considered again.
    fn lost(&mut self, plane: u32) -> bool {
        self.valid[plane as usize] -= 1;
        let has_room = self.valid[plane as usize] < self.most;
        let passed_by = &mut self.passed_by[plane as usize];
        let was_passed_by =
            |passed_by| unless_bug!(PlacementForgetsPlane, std::mem::take(passed_by), false);
        has_room && was_passed_by(passed_by)
    }
}

impl Chooser {
    /// Chooses among the planes of a device, each of which may hold up to `most_valid` valid pages.
    #[must_use]
    pub fn new(
        build: &BuildPlacement,
        settings: &Sections,
        order: PlaneOrder,
        geometry: &Geometry,
        most_valid: u32,
    ) -> Self {
        let order = order.planes(geometry);
        let rule = match build {
            BuildPlacement::Single => Rule::Single,
            BuildPlacement::Striped => Rule::Striped,
            BuildPlacement::Free(build) => {
                Rule::Free(build(&PlaneSet { order: &order, geometry, most_valid }, settings))
            }
        };
        let room = Room::new(geometry.planes(), most_valid);
        Chooser { order, rule, room }
    }

    /// Whether it uses the times at which planes are free.
    pub(crate) fn watches_planes(&self) -> bool {
        matches!(self.planes(), Rule::Free(placement) if placement.watches_planes())
    }

    /// The choice of one.
    #[must_use]
    pub fn single() -> Self {
        Chooser { order: vec![0], rule: Rule::Single, room: Room::new(0, 0) }
    }

    /// The same, with the classes of a separation.
    #[must_use]
    pub fn separated(self, separator: Separator) -> Self {
        let separated = Separated { plane: self.rule, separator };
        Chooser { rule: Rule::Separated(Box::new(separated)), ..self }
    }

    /// The separation, if pages are separated.
    #[inline]
    pub fn separator(&mut self) -> Option<&mut Separator> {
        match &mut self.rule {
            Rule::Separated(separated) => Some(&mut separated.separator),
            _ => None,
        }
    }

    /// The separation, for reading.
    #[must_use]
    pub fn separation(&self) -> Option<&Separator> {
        match &self.rule {
            Rule::Separated(separated) => Some(&separated.separator),
            _ => None,
        }
    }

    /// The place for a page of the host.
    ///
    /// # Panics
    /// When all planes are full of valid pages: the device is smaller than its logical pages.
    #[inline(always)]
    pub fn place(&mut self, lpn: Lpn, meta: Meta, flash: &impl Media) -> Place {
        if let Rule::Separated(_) = self.rule {
            return self.place_apart(lpn, meta, flash);
        }
        let Chooser { order, rule, room } = self;
        Place { plane: rule.plane(lpn, order, room, flash), class: Class::HOST }
    }

    #[inline(never)]
    fn place_apart(&mut self, lpn: Lpn, meta: Meta, flash: &impl Media) -> Place {
        let Chooser { order, rule, room } = self;
        let Rule::Separated(separated) = rule else { panic!("no page has a class") };
        Place {
            plane: separated.plane.plane(lpn, order, room, flash),
            class: Class::user(separated.separator.of_write(
                lpn,
                unless_bug!(PlacementUntoldOfHost, meta, Meta::UNSET),
                flash.flash(),
            )),
        }
    }

    /// The rule for planes, whatever the classes.
    const fn planes(&self) -> &Rule {
        match &self.rule {
            Rule::Separated(separated) => &separated.plane,
            rule => rule,
        }
    }

    /// The plane of a translation page.
    #[inline]
    #[must_use]
    pub fn home(&self, vtpn: Vtpn) -> u32 {
        match self.planes() {
            Rule::Single => 0,
            _ => {
                self.order[unless_bug!(PlacementMapInOnePlane, vtpn.index() % self.order.len(), 0)]
            }
        }
    }

    /// A page was programmed in a plane, and it is not a copy from the same plane.
    #[inline]
    pub fn gained(&mut self, plane: u32) {
        if let Rule::Free(_) = self.planes() {
            self.room.valid[plane as usize] += 1;
        }
    }

    /// The same for a page of the host.
    #[inline(always)]
    pub fn gained_of_host(&mut self, place: Place, lpn: Lpn, page: Ppn, flash: &impl Media) {
        match self.rule {
            Rule::Single | Rule::Striped => {}
            Rule::Free(_) => self.room.valid[place.plane as usize] += 1,
            Rule::Separated(_) => self.gained_apart(place, lpn, page, flash),
        }
    }

    #[inline(never)]
    fn gained_apart(&mut self, place: Place, lpn: Lpn, page: Ppn, flash: &impl Media) {
        if let (Some(separator), Some(class)) = (self.separator(), place.class.number()) {
            separator.wrote(lpn, class, page, flash.geometry());
        }
        self.gained(place.plane);
    }

    /// A page of a plane was superseded.
    #[inline]
    pub fn lost(&mut self, plane: u32) {
        let rule = match &mut self.rule {
            Rule::Separated(separated) => &mut separated.plane,
            rule => rule,
        };
        if let Rule::Free(placement) = rule
            && self.room.lost(plane)
        {
            placement.has_room_again(plane);
        }
    }
}
