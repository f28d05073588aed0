//! HTML as text, without what is quoted in it.
