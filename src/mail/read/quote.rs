//! What the writer of a text added to what is quoted in it.
