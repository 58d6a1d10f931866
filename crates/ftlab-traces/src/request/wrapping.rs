//! Inputs that are made of another input.

use super::{Attributes, Input, Measured, RequestSource};
use crate::error::Error;

/// An input over another one: what it does not say is as that one says.
pub trait Wrapping: Send + Sync {
    /// The other one.
    fn inner(&self) -> &dyn Input;

    /// A new pass over all requests.
    ///
    /// # Errors
    /// As [`Input::open`].
    fn start(&self) -> Result<Box<dyn RequestSource>, Error>;

    /// The attributes that requests have, too, and those of the other one have not.
    fn added(&self) -> Attributes {
        Attributes::default()
    }

    /// The size of the space that its requests lie in, B, where it is known.
    fn space(&self) -> Option<u64> {
        self.inner().address_space_bytes()
    }

    /// What a pass would measure, where it is known; what passes is seldom all of the other one.
    fn known(&self) -> Option<Measured> {
        None
    }
}

impl<W: Wrapping> Input for W {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        self.start()
    }

    fn name(&self) -> String {
        self.inner().name()
    }

    fn format(&self) -> String {
        self.inner().format()
    }

    fn address_space_bytes(&self) -> Option<u64> {
        self.space()
    }

    fn attributes(&self) -> Attributes {
        self.inner().attributes().iter().chain(self.added().iter()).collect()
    }

    fn measured(&self) -> Option<Measured> {
        self.known()
    }

    fn rereadable(&self) -> bool {
        self.inner().rereadable()
    }
}
