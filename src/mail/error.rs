/// An error in composing a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A template is faulty.
    #[error("the template {place} fails: {what}")]
    Template {
        /// File and line.
        place: String,
        /// The error in it.
        what: String,
    },
    /// An address does not fit into a header.
    #[error("cannot compose the mail: {0}")]
    Message(String),
}
