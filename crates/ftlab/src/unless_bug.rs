//! The places of the bugs that the FTL checks must find: see `bugs.rs`, which only the feature
//! `bugs` compiles.

/// `unless_bug!(Bug, statement)` omits the statement if `Bug` is enabled when the program starts.
/// `unless_bug!(Bug, right, wrong)` then evaluates `wrong` instead of `right`.
///
/// Without the feature `bugs` only the right code is compiled.
#[cfg(not(feature = "bugs"))]
macro_rules! unless_bug {
    ($bug:ident, $right:expr $(, $wrong:expr)? $(,)?) => {
        $right
    };
}

// A bug with two places implements the trait twice, one without a place does not, and neither compiles.
#[cfg(feature = "bugs")]
macro_rules! unless_bug {
    ($bug:ident, $statement:expr $(,)?) => {
        if !unless_bug!(@chosen $bug) {
            $statement;
        }
    };
    ($bug:ident, $right:expr, $wrong:expr $(,)?) => {
        if unless_bug!(@chosen $bug) { $wrong } else { $right }
    };
    (@chosen $bug:ident) => {{
        #[allow(non_local_definitions)]
        impl $crate::bugs::Seeded for $crate::bugs::$bug {
            const PLACE: &'static str = concat!(file!(), ":", line!());
        }
        $crate::bugs::is_chosen::<$crate::bugs::$bug>()
    }};
}
