//! Links the program to a fixed address, where linkers can do that. Otherwise each command, which is
//! a process of its own, would begin by adjusting some 40,000 pointers, most of them in the table of
//! time zones; that takes as long as a small command does. The stack, the heap and the libraries
//! still have random addresses.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
