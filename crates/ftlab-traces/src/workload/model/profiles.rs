//! The models that are built in: published traces by name.

use super::Model;
use crate::error::Error;

/// A built-in model.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Registered name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

macro_rules! profile {
    ($name:literal) => {
        Profile { name: $name, text: include_str!(concat!("../profiles/", $name, ".toml")) }
    };
}

/// Every profile of a published trace. A new one is a file and a line here.
pub const PROFILES: &[Profile] = &[
    profile!("financial1"),
    profile!("financial2"),
    profile!("websearch1"),
    profile!("websearch2"),
    profile!("websearch3"),
    profile!("msr-ts"),
    profile!("msr-src"),
    profile!("tpcc"),
    profile!("exchange"),
    profile!("build"),
    profile!("cello99"),
    profile!("systemdisk1"),
    profile!("systemdisk2"),
    profile!("systemdisk3"),
    profile!("tpch"),
];

impl Profile {
    /// The profile with this name.
    ///
    /// # Errors
    /// [`Error::Unknown`] lists the known profiles.
    pub fn find(name: &str) -> Result<&'static Profile, Error> {
        PROFILES
            .iter()
            .find(|profile| profile.name == name)
            .ok_or_else(|| Error::unknown("profile", name, PROFILES.iter().map(|p| p.name)))
    }

    /// Its model.
    ///
    /// # Panics
    /// If the file that was built in is no model, which a test excludes.
    #[must_use]
    pub fn model(&self) -> Model {
        Model::parse(self.text, self.name).expect("a profile that was tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::model::unexplained;

    #[test]
    fn every_number_of_every_profile_has_an_origin() {
        for profile in PROFILES {
            let model = Model::parse(profile.text, profile.name).unwrap();
            assert_eq!(model.name, profile.name);
            assert_eq!(unexplained(profile.text, &model.origin), [""; 0], "{}", profile.name);
            assert!(!model.origin.contains_key("all"), "{}: key by key", profile.name);
        }
    }
}
