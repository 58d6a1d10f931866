//! Any flash translation layer as a live block device: an NBD server over an image file.
//!
//! ```text
//! protocol    bytes of a client -> pieces of commands -> bytes for it; no sockets
//! image       a file with what each page holds, which a cut cannot tear
//! live        an FTL under requests that carry data, over an image
//! server      sockets and threads around these
//! ```

pub mod fault;
pub mod hint;
pub mod image;
pub mod live;
mod metrics;
mod outbox;
pub mod protocol;
pub mod recording;
mod replay;
pub mod server;
pub mod stream;
mod visitors;

pub use replay::replay;
pub use visitors::Connections;
