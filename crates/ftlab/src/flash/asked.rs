//! The requests of the host that the FTL must serve in the present call: each page once, and no
//! others.
//!
//! ```text
//! ask(write, 5 6 7)   begin_page, program 5   begin_page, program 6   begin_page, program 7   answered
//! ```
//!
//! Versions prove that a page holds the last write *to the page that the FTL named*. This module
//! proves that the FTL named the pages of the request. Between two requests the FTL serves no page.
//!
//! One cursor counts off consecutive pages that are served in order, as nearly all are. All others
//! are a [`List`].

mod list;

use crate::purpose::Cause;
use crate::request::Op;
use crate::units::Lpn;
use list::List;
pub(super) use list::Undone;
use std::fmt;

/// What is done with the requested pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Read,
    Write,
    Trim,
    /// No page: for a flush, and between two requests.
    Nothing,
    /// No host has made a request yet, as in tests of a device: every page may be served.
    Anything,
}

impl Service {
    #[inline(always)]
    const fn of(op: Op) -> Service {
        match op {
            Op::Read => Service::Read,
            Op::Write | Op::WriteThrough => Service::Write,
            Op::Trim => Service::Trim,
            Op::Flush => Service::Nothing,
        }
    }
}

/// The host requests nothing. This and the next two are odd, and above every cursor.
const NOTHING: u64 = u64::MAX;

/// The host requests nothing, and the pages of the next request form a list.
const NOTHING_LISTED: u64 = NOTHING - 2;

/// The pages of the request form a list.
const LISTED: u64 = NOTHING - 4;

/// The cursor before a page is begun. It is one higher when the page is begun. It is two higher
/// when the page is served, and then the next page is due.
#[inline(always)]
const fn cursor(service: Service, lpn: Lpn) -> u64 {
    (service as u64) << (u32::BITS + 2) | (lpn.0 as u64) << 1
}

/// The pages of a request, and how many of them are begun and served.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// For consecutive pages, the cursor before the first.
    first: u64,
    /// The cursor; `NOTHING`, `NOTHING_LISTED` or `LISTED` where there is none.
    at: u64,
    /// The cursor behind the last.
    end: u64,
    /// What the cursor is between two requests.
    idle: u64,
    /// Operations of the device before the request.
    operations: usize,
    list: List,
}

impl Default for Asked {
    fn default() -> Self {
        Asked { first: 0, at: NOTHING, end: 0, idle: NOTHING, operations: 0, list: List::default() }
    }
}

impl Asked {
    /// There is a host, which requests nothing now.
    pub fn nothing() -> Self {
        Asked { list: List::of(Service::Nothing, &[]), ..Asked::default() }
    }

    /// The host requests these pages, ascending, after `operations` operations of the device.
    /// Returns whether the earlier request is over: an FTL makes no requests itself.
    #[inline(always)]
    #[must_use]
    pub fn ask(&mut self, op: Op, pages: &[Lpn], operations: usize) -> bool {
        let service = Service::of(op);
        if let (Service::Read | Service::Write, [first, ..]) = (service, pages)
            && self.at == NOTHING
            && pages[pages.len() - 1].0 - first.0 == pages.len() as u32 - 1
        {
            self.first = cursor(service, *first);
            self.at = self.first;
            self.end = self.first + 2 * pages.len() as u64;
            self.operations = operations;
            return true;
        }
        self.ask_for_list(service, pages, operations)
    }

    #[inline(never)]
    fn ask_for_list(&mut self, service: Service, pages: &[Lpn], operations: usize) -> bool {
        if self.is_under_way() {
            return false;
        }
        self.operations = operations;
        self.at = LISTED;
        self.list.ask(service, pages.iter().copied());
        true
    }

    /// The first page of the request and its number of pages. `None` if the host does not request a
    /// write of this page, or the write is done.
    pub fn request_of(&self, lpn: Lpn) -> Option<(Lpn, u32)> {
        if self.at >= LISTED {
            return self.list.request_of(lpn);
        }
        let (from, page) = (cursor(Service::Write, Lpn(0)), cursor(Service::Write, lpn));
        let is_left = self.first >= from && (self.at & !1..self.end).contains(&page);
        let first = Lpn((self.first.wrapping_sub(from) / 2) as u32);
        is_left.then_some((first, ((self.end - self.first) / 2) as u32))
    }

    /// Whether the FTL serves a request now.
    pub const fn is_under_way(&self) -> bool {
        self.at != self.idle
    }

    /// All pages that are not begun wait for the operations done so far.
    pub fn wait_for_work(&mut self, operations: usize) {
        self.operations = operations;
    }

    /// Whether the FTL may do work on which all pages that are not begun wait.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn may_work(&mut self, operations: usize) -> Result<(), &'static str> {
        if !self.is_under_way() {
            return Ok(());
        }
        self.make_list();
        self.list.may_begin(operations == self.operations)
    }

    /// Begins the next page, after `operations` operations of the device.
    ///
    /// # Errors
    /// The rule that is broken.
    #[inline(always)]
    pub fn begin(&mut self, operations: usize) -> Result<(), &'static str> {
        let is_early = self.at == self.first && operations != self.operations;
        if self.at % 2 == 1 || self.at == self.end || is_early {
            return self.begin_another(operations);
        }
        self.at += 1;
        Ok(())
    }

    #[inline(never)]
    fn begin_another(&mut self, operations: usize) -> Result<(), &'static str> {
        self.make_list();
        self.list.begin(operations == self.operations)
    }

    /// Serves a page. Returns the cause if the page was requested and is not served yet.
    #[inline(always)]
    pub fn serve(&mut self, service: Service, lpn: Lpn) -> Option<Cause> {
        if self.at != cursor(service, lpn) + 1 {
            return self.serve_another(service, lpn);
        }
        self.at += 1;
        Some(Cause::Host)
    }

    #[inline(never)]
    fn serve_another(&mut self, service: Service, lpn: Lpn) -> Option<Cause> {
        self.make_list();
        self.list.serve(service, lpn)
    }

    /// Turns the pages of this request into a list.
    fn make_list(&mut self) {
        if self.at >= LISTED {
            return;
        }
        let count = |from: u64, to: u64| (to - from).div_ceil(2) as usize;
        let from = cursor(Service::Write, Lpn(0));
        let (service, from) =
            if self.first >= from { (Service::Write, from) } else { (Service::Read, 0) };
        let first = ((self.first - from) / 2) as u32;
        self.list.ask(service, (first..).take(count(self.first, self.end)).map(Lpn));
        self.list.go_on(count(self.first, self.at), count(self.first, self.at & !1));
        self.at = LISTED;
    }

    /// The list of an FTL that keeps pages in RAM: from now on each page is looked up.
    pub fn with_ram(&mut self) -> &mut List {
        self.make_list();
        self.always_list();
        &mut self.list
    }

    fn always_list(&mut self) {
        self.leave_idle(NOTHING_LISTED);
    }

    /// Changes the cursor of the time between two requests. It takes effect now if no request is
    /// under way.
    fn leave_idle(&mut self, idle: u64) {
        if !self.is_under_way() {
            self.at = idle;
        }
        self.idle = idle;
    }

    /// From now on these pages, ascending, are served for another cause than the host's request.
    pub fn set_apart(&mut self, cause: Cause, pages: &[Lpn]) {
        self.list.set_apart(cause, pages);
        self.always_list();
    }

    /// From now on all pages are served for the host's request.
    pub fn end_apart(&mut self) {
        self.list.end_apart();
        if !self.list.keeps() {
            self.leave_idle(NOTHING);
        }
    }

    /// Whether only the RAM of the FTL has the newest version of a page.
    pub fn owes(&self, lpn: Lpn) -> bool {
        self.list.owes(lpn)
    }

    /// The most pages that the FTL has had in its RAM at a time.
    pub const fn most_kept(&self) -> usize {
        self.list.most_kept()
    }

    /// Ends the request. Returns what was left undone, if anything; `holds_data` states whether a
    /// page has data.
    #[inline(always)]
    pub fn answer(&mut self, op: Op, holds_data: impl Fn(Lpn) -> bool) -> Option<Undone> {
        if self.at == self.end {
            self.at = self.idle;
            return None;
        }
        self.answer_list(op, holds_data)
    }

    #[inline(never)]
    fn answer_list(&mut self, op: Op, holds_data: impl Fn(Lpn) -> bool) -> Option<Undone> {
        self.make_list();
        self.at = self.idle;
        self.list.answer(op, holds_data)
    }
}

/// Shown in the message about a page that was not requested.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut listed = self.clone();
        listed.make_list();
        listed.list.fmt(f)
    }
}
