//! The `[host]` table: where the host is told what needs a person.

use serde::Deserialize;

/// Settings for the notices to the host.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostSettings {
    /// The host's address. `None` means that the host gets no notices.
    #[serde(deserialize_with = "address")]
    pub mail: Option<lettre::Address>,
    /// The host is warned when the database has less free space than so many megabytes.
    #[serde(deserialize_with = "super::whole::<1_000_000_000, _>")]
    pub free_mb: u32,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self { mail: None, free_mb: 500 }
    }
}

fn address<'de, D: serde::Deserializer<'de>>(
    value: D,
) -> Result<Option<lettre::Address>, D::Error> {
    let text = String::deserialize(value)?;
    let address =
        text.parse().ok().filter(|address: &lettre::Address| address.to_string().is_ascii());
    address.map(Some).ok_or_else(|| {
        serde::de::Error::custom(format!(
            "mail: {text:?} is not an address; use one such as host@club.example"
        ))
    })
}
