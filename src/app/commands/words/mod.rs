pub(crate) mod block;
pub(crate) mod note;
pub(crate) mod say;
