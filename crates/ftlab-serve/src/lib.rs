//! Any flash translation layer as a live block device: an NBD server over an image file.

pub mod image;
pub mod protocol;
