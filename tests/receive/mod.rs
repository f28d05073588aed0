//! Mail that players send: who it is from, what it says, what it does and what is answered.

mod answers;
mod lines;
mod moves;
mod sender_checks;
mod tokens;
