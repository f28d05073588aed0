//! Mail that came in: from bytes to what its writer says.

mod html;
mod quote;
