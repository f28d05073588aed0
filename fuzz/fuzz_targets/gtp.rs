//! Answers lines of GTP, and reads them as the answers of a program: no panic, and no answer has an empty
//! line inside, which would end it.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod dialogue;

fuzz_target!(|text: &str| dialogue::hold("gtp", text));
