//! Mail that came in: from bytes to what its writer says.

pub mod html;
pub mod quote;
