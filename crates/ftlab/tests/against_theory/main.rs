//! The simulator against theory: closed forms, relations between runs, and identities.
//!
//! Every test prints the table of what it found:
//! `cargo test --profile long --test against_theory -- --include-ignored --nocapture`.
//! Tolerances are of two kinds: bounds that theory gives for a finite device, and four or more
//! standard errors of a fixed seed.

mod bench;
mod caching;
mod collection;
mod identities;
mod midas;
mod parallel;
mod queueing;
mod relations;
mod translation;
mod zones;
