//! Answers lines of NBoard, and reads them as the answers of a program: no panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod dialogue;

fuzz_target!(|text: &str| dialogue::hold("nboard", text));
