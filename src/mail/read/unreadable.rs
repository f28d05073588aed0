/// The longest message that is read, in bytes.
pub const MAX_BYTES: usize = 5 * 1024 * 1024;

/// The most parts that a message may have, multiparts included.
pub(super) const MAX_PARTS: usize = 100;

/// The deepest nesting of parts.
pub(super) const MAX_LEVELS: usize = 20;

/// An error in reading a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Longer than [`MAX_BYTES`].
    #[error("it is longer than {} MiB", MAX_BYTES / (1024 * 1024))]
    TooLong,
    /// It has no header field.
    #[error("it is not a mail")]
    NotMail,
    /// There is no empty line after the header.
    #[error("it is cut off in its header")]
    CutInHeader,
    /// A header is longer than any real one.
    #[error("its header is too long")]
    HeaderTooLong,
    /// There is no From field, which RFC 5322, 3.6 requires.
    #[error("it has no From field")]
    NoFrom,
    /// A multipart entity lacks its closing delimiter (RFC 2046, 5.1.1).
    #[error("it is cut off: a closing boundary is missing")]
    CutInBody,
    /// A multipart entity names no boundary.
    #[error("it has a multipart without a boundary")]
    NoBoundary,
    /// More MIME parts than any real mail has.
    #[error("it has more than {} parts", MAX_PARTS)]
    TooManyParts,
    /// MIME parts nested deeper than in any real mail.
    #[error("its parts are nested deeper than {} levels", MAX_LEVELS)]
    TooDeep,
}
