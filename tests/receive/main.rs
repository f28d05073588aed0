//! Mail that players send: who it is, what it says, what is done and what is answered.

mod answers;
mod club;
mod codes;
mod lines;
mod moves;
mod standing;
