//! Mail that comes in, as a mail server or a program that fetches mail hands it over.

mod bounces;
mod club;
mod codes;
mod damaged;
mod flood;
#[path = "../reliability/house.rs"]
#[allow(dead_code, reason = "what others than these tests need")]
mod house;
mod killed;
mod loops;
mod maildir;
mod pipe;
#[path = "../reliability/small_disk.rs"]
mod small_disk;
