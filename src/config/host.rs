//! The `[host]` table: the address for mails about anything that needs a person.

use std::path::PathBuf;

use serde::Deserialize;

/// Settings for the mails to the host.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostSettings {
    /// The host's address. `None` means that the host gets no mail.
    #[serde(deserialize_with = "address")]
    pub mail: Option<lettre::Address>,
    /// The free space of the database, in megabytes, below which the host is warned.
    #[serde(deserialize_with = "super::whole::<1_000_000_000, _>")]
    pub free_mb: u32,
    /// The settings of Litestream, if it makes a replica of the database.
    pub replica: Option<PathBuf>,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self { mail: None, free_mb: 500, replica: None }
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
