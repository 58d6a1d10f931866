//! Where a page goes, beyond the FTL that writes it.
//!
//! Two questions are independent: which plane takes a page
//! ([`ftl::parts::placement`](crate::ftl::parts::placement)), and which pages share blocks: those of one
//! [`Class`], which a [`separation`] may choose.

#![allow(clippy::inline_always)] // a class is asked for with every page

mod class;
pub mod separation;

pub use class::Class;
