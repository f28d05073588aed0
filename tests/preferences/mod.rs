//! What players set for themselves: their settings, and what these change.

mod settings;
