//! The border to the page: memory that it writes questions into, one call that answers, and one that the page
//! answers.
//!
//! No code here is unsafe; names that are exported and imported count as such.

#![expect(unsafe_code, reason = "names that the linker sees")]

use std::panic;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    /// What the page is told, as UTF-8 in memory; 0 to stop.
    safe fn tell(text: *const u8, length: usize) -> u32;
}

/// A question, and the trace that comes with it.
static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static TRACE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn room_in(bytes: &Mutex<Vec<u8>>, length: usize) -> *mut u8 {
    let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
    bytes.clear();
    bytes.resize(length, 0);
    bytes.as_mut_ptr()
}

fn taken(bytes: &Mutex<Vec<u8>>) -> Vec<u8> {
    std::mem::take(&mut bytes.lock().unwrap_or_else(PoisonError::into_inner))
}

fn told(text: &str) -> bool {
    tell(text.as_ptr(), text.len()) != 0
}

/// Makes room for the bytes of a question, which the page writes there.
#[unsafe(no_mangle)]
pub extern "C" fn room_for_question(length: usize) -> *mut u8 {
    room_in(&QUESTION, length)
}

/// Makes room for a trace.
#[unsafe(no_mangle)]
pub extern "C" fn room_for_trace(length: usize) -> *mut u8 {
    room_in(&TRACE, length)
}

/// Answers the question by calls of `tell`. A panic, such as of an FTL that broke a rule, is told in one line and then
/// ends the instance.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref().copied()).unwrap_or("a panic without a message");
        told(&serde_json::json!({ "error": crate::one_line(text) }).to_string());
    }));
    crate::ask(&taken(&QUESTION), taken(&TRACE), &mut told);
}
