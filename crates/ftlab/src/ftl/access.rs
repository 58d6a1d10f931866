//! What an FTL is asked to serve.

use super::Ftl;
use crate::flash::Flash;
use crate::request::{Flags, Meta, Op};
use crate::units::Lpn;

/// Pages of one host request, or of one group that a buffer writes, with what the host says of them.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// What to do with the pages.
    pub op: Op,
    /// The pages, ascending. A flush without any is of all pages.
    pub pages: &'a [Lpn],
    /// The attributes of the request.
    pub meta: Meta,
}

impl<'a> Access<'a> {
    /// An access of which the host says nothing more.
    #[must_use]
    pub const fn new(op: Op, pages: &'a [Lpn]) -> Self {
        Access { op, pages, meta: Meta::UNSET }
    }

    /// A read of pages.
    #[must_use]
    pub const fn read(pages: &'a [Lpn]) -> Self {
        Self::new(Op::Read, pages)
    }

    /// A write of pages.
    #[must_use]
    pub const fn write(pages: &'a [Lpn]) -> Self {
        Self::new(Op::Write, pages)
    }

    /// A trim of pages.
    #[must_use]
    pub const fn trim(pages: &'a [Lpn]) -> Self {
        Self::new(Op::Trim, pages)
    }

    /// Has an FTL do what the host asks for, and holds it to that.
    #[allow(clippy::inline_always)] // part of every request
    #[inline(always)]
    pub fn serve(self, ftl: &mut (impl Ftl + ?Sized), flash: &mut Flash) {
        let pages = self.pages;
        if self.meta.flags.contains(Flags::UPDATE) {
            unless_bug!(UpdateForgotten, ftl.update_handle(self.meta, flash));
        }
        // What is asked is a constant in each arm.
        match self.op {
            Op::Read => {
                flash.ask(Op::Read, pages);
                ftl.read(self, flash);
            }
            Op::Write => {
                flash.ask(Op::Write, pages);
                ftl.write(self, flash);
            }
            Op::Trim => {
                flash.bury(pages);
                flash.ask(Op::Trim, pages);
                ftl.trim(self, flash);
            }
            Op::Flush => {
                flash.ask(Op::Flush, pages);
                match pages {
                    [] => ftl.flush(flash),
                    _ => ftl.flush_pages(pages, flash),
                }
            }
            Op::WriteThrough => {
                flash.ask(Op::WriteThrough, pages);
                ftl.write(self, flash);
                ftl.flush_pages(pages, flash);
            }
        }
        flash.answered(self.op);
    }
}

/// Has an FTL serve pages of which the host says nothing more.
#[inline]
pub fn access(ftl: &mut (impl Ftl + ?Sized), op: Op, pages: &[Lpn], flash: &mut Flash) {
    Access::new(op, pages).serve(ftl, flash);
}
