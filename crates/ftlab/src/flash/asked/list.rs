//! Requested pages, each looked up. The list serves trims, pages that are not consecutive or not
//! served in order, and every FTL with pages in its RAM.
//!
//! An FTL may keep pages of the host in its own RAM, and serve them from there. It owes each page
//! that the host wrote until it programs the page, or the host trims it.

use super::Service;
use crate::purpose::Cause;
use crate::request::Op;
use crate::units::Lpn;
use rustc_hash::FxHashMap;
use std::fmt;

/// The pages of a request, in the order of their service.
#[derive(Clone, Debug)]
pub(in super::super) struct List {
    service: Service,
    begun: usize,
    served: usize,
    /// Served pages in the order of service, followed by the pages left, ascending.
    pages: Vec<Lpn>,
    /// The lowest page of the request.
    lowest: Lpn,
    /// The pages that are served for another cause, ascending.
    apart: Vec<Lpn>,
    cause: Cause,
    /// The page read from flash last, unless another was served since.
    read_last: Option<Lpn>,
    /// Whether the FTL has ever kept a page in RAM.
    keeps: bool,
    /// The pages in its RAM, and whether the newest version is only there: the FTL then owes it.
    kept: FxHashMap<Lpn, bool>,
    most_kept: usize,
}

impl Default for List {
    fn default() -> Self {
        List::of(Service::Anything, &[])
    }
}

impl List {
    pub fn of(service: Service, pages: &[Lpn]) -> Self {
        List {
            service,
            begun: 0,
            served: 0,
            pages: pages.to_vec(),
            lowest: pages.first().copied().unwrap_or(Lpn(0)),
            apart: Vec::new(),
            cause: Cause::Host,
            read_last: None,
            keeps: false,
            kept: FxHashMap::default(),
            most_kept: 0,
        }
    }

    pub fn ask(&mut self, service: Service, pages: impl Iterator<Item = Lpn>) {
        (self.service, self.begun, self.served, self.read_last) = (service, 0, 0, None);
        self.pages.clear();
        self.pages.extend(pages);
        self.lowest = self.pages.first().copied().unwrap_or(Lpn(0));
    }

    /// The lowest page and the number of pages. `None` if the host does not request a write of this
    /// page, or the write is done. A page that is owed leaves RAM in its old version.
    pub fn request_of(&self, lpn: Lpn) -> Option<(Lpn, u32)> {
        let is_asked = self.service == Service::Write && !self.owes(lpn);
        let is_left = is_asked && self.pages[self.served..].binary_search(&lpn).is_ok();
        is_left.then_some((self.lowest, self.pages.len() as u32))
    }

    /// Sets how many pages of the request are begun and served.
    pub fn go_on(&mut self, begun: usize, served: usize) {
        (self.begun, self.served) = (begun, served);
        let is_read = self.service == Service::Read;
        self.read_last = self.pages[..served].last().copied().filter(|_| is_read);
    }

    /// Begins the next page. No operation may precede the first page.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn begin(&mut self, is_nothing_done: bool) -> Result<(), &'static str> {
        self.may_begin(is_nothing_done)?;
        self.begun += 1;
        Ok(())
    }

    /// Whether the next page may be begun.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn may_begin(&self, is_nothing_done: bool) -> Result<(), &'static str> {
        let is_early = self.begun == 0 && !is_nothing_done;
        match self.service {
            Service::Anything => Ok(()),
            Service::Nothing => Err("only pages that the host asks for are begun"),
            _ if is_early => Err("a page is begun before anything is done for it"),
            Service::Read | Service::Write if self.begun != self.served => {
                Err("a page that is begun is served, once, before the next is begun")
            }
            // The device hears nothing of the trim of a page without data.
            _ => Ok(()),
        }
    }

    /// Serves a page. Returns the cause if the page was requested and is not served yet.
    pub fn serve(&mut self, service: Service, lpn: Lpn) -> Option<Cause> {
        // An owed version is programmed before the next version is taken, and is read only from
        // RAM.
        let owed = self.kept.get_mut(&lpn).filter(|owed| **owed);
        match (service, owed) {
            (Service::Write, Some(owed)) => *owed = false,
            (Service::Read, Some(_)) => return None,
            _ => {
                if service == Service::Write {
                    self.kept.remove(&lpn);
                }
                if !self.serve_in_any_order(service, lpn) {
                    return None;
                }
            }
        }
        self.read_last = (service == Service::Read).then_some(lpn);
        let is_apart = self.apart.binary_search(&lpn).is_ok();
        Some(if is_apart { self.cause } else { Cause::Host })
    }

    fn serve_in_any_order(&mut self, service: Service, lpn: Lpn) -> bool {
        if service != self.service {
            return self.service == Service::Anything;
        }
        let Ok(place) = self.pages[self.served..].binary_search(&lpn) else { return false };
        self.pages[self.served..=self.served + place].rotate_right(1);
        self.served += 1;
        true
    }

    pub fn set_apart(&mut self, cause: Cause, pages: &[Lpn]) {
        self.cause = cause;
        self.apart.clear();
        self.apart.extend_from_slice(pages);
    }

    pub fn end_apart(&mut self) {
        self.apart.clear();
    }

    /// Takes a page that the host writes into RAM. Returns whether it was requested.
    pub fn keep_write(&mut self, lpn: Lpn) -> bool {
        self.read_last = None;
        self.keep(lpn, true);
        self.serve_in_any_order(Service::Write, lpn)
    }

    /// Keeps a page in RAM. Returns whether it was the last page read from flash.
    pub fn keep_read(&mut self, lpn: Lpn) -> bool {
        self.keep(lpn, false);
        self.read_last.take() == Some(lpn)
    }

    fn keep(&mut self, lpn: Lpn, is_owed: bool) {
        self.keeps = true;
        self.kept.insert(lpn, is_owed);
        self.most_kept = self.most_kept.max(self.kept.len());
    }

    /// Reads a page from the RAM of the FTL. Returns whether it is there, and was requested.
    pub fn read_kept(&mut self, lpn: Lpn) -> bool {
        self.kept.contains_key(&lpn) && self.serve_in_any_order(Service::Read, lpn)
    }

    /// Drops a page from the RAM of the FTL. Returns whether it was there, and on flash, too.
    pub fn drop_kept(&mut self, lpn: Lpn) -> bool {
        self.kept.remove(&lpn) == Some(false)
    }

    pub const fn keeps(&self) -> bool {
        self.keeps
    }

    pub const fn most_kept(&self) -> usize {
        self.most_kept
    }

    /// Whether only RAM has the newest version of a page.
    pub fn owes(&self, lpn: Lpn) -> bool {
        self.kept.get(&lpn) == Some(&true)
    }

    /// Ends the request. Returns what was left undone, if anything.
    pub fn answer(&mut self, op: Op, holds_data: impl Fn(Lpn) -> bool) -> Option<Undone> {
        let undone = self.undone(op, holds_data);
        if op == Op::Trim {
            self.pages.iter().for_each(|lpn| _ = self.kept.remove(lpn));
        }
        self.ask(Service::Nothing, std::iter::empty());
        undone
    }

    fn undone(&self, op: Op, holds_data: impl Fn(Lpn) -> bool) -> Option<Undone> {
        let mut left = self.pages[self.served..].iter();
        let in_ram = || self.pages.iter().find(|lpn| self.owes(**lpn));
        let page = match op {
            Op::Trim => self.pages.iter().find(|lpn| holds_data(**lpn)),
            Op::Read | Op::Write => left.next(),
            Op::WriteThrough => left.next().or_else(in_ram),
            Op::Flush if self.pages.is_empty() => {
                self.kept.keys().filter(|lpn| self.owes(**lpn)).min()
            }
            Op::Flush => in_ram(),
        };
        let (begun, pages) = (self.begun, self.pages.len());
        let is_miscounted = begun != pages && op != Op::Flush;
        let miscounted = is_miscounted.then_some(Undone::Begun { begun, pages });
        page.map(|lpn| Undone::Page(op, *lpn)).or(miscounted)
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.service {
            Service::Read => "read",
            Service::Write => "write",
            Service::Trim => "trim",
            Service::Nothing | Service::Anything => {
                return f.write_str("the host asks for nothing");
            }
        };
        match (self.pages.iter().min(), self.pages.iter().max()) {
            (Some(first), Some(last)) if first != last => {
                let count = self.pages.len();
                write!(f, "the host asks to {what} {count} pages from {first} to {last}")?;
            }
            (Some(page), _) => write!(f, "the host asks to {what} page {page}")?,
            _ => write!(f, "the host asks to {what} no page")?,
        }
        match self.served {
            0 => Ok(()),
            served => write!(f, ", {served} of them done"),
        }
    }
}

/// What an FTL left undone when it returned from a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Undone {
    /// This page.
    Page(Op, Lpn),
    /// The FTL began another number of pages.
    Begun { begun: usize, pages: usize },
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undone::Page(Op::Read, lpn) => {
                write!(f, "every page that the host asks to read is read: page {lpn} is not")
            }
            Undone::Page(Op::Write, lpn) => {
                write!(f, "every page that the host writes is programmed: page {lpn} is not")
            }
            Undone::Page(Op::Trim, lpn) => {
                write!(f, "a page that the host trims holds no data: page {lpn} does")
            }
            Undone::Page(Op::Flush | Op::WriteThrough, lpn) => {
                write!(f, "a page that the host flushes is on flash: page {lpn} is not")
            }
            Undone::Begun { begun, pages } => write!(
                f,
                "begin_page is called once for each page of a request: {begun} calls, {pages} to serve"
            ),
        }
    }
}
