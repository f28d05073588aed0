//! The `[web]` table: the address of the pages, and whether everybody can see them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::Deserialize;

/// Settings for the pages that `outflank web` serves.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebSettings {
    /// Where people open the pages, through the reverse proxy. `None`: no mail has a link to them.
    #[serde(deserialize_with = "base_url")]
    pub url: Option<BaseUrl>,
    /// Whether everybody can see the games, the players and the standings.
    pub public: bool,
    /// The reverse proxies. Their `X-Forwarded-For` names the peer.
    #[serde(deserialize_with = "networks")]
    pub proxies: Vec<Network>,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self { url: None, public: false, proxies: Network::LOOPBACK.to_vec() }
    }
}

impl WebSettings {
    /// Returns whether a connection from this address comes from a reverse proxy.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(peer))
    }
}

/// The address of the pages, without a slash at its end: `https://club.example/othello`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    /// The scheme, the host and the port: `https://club.example`.
    origin: String,
    /// The path: empty, or `/othello`.
    path: String,
}

/// The longest address of the pages, since mails write a token behind it in a line.
const MAX_URL_BYTES: usize = 200;

impl BaseUrl {
    /// Returns the scheme, the host and the port if it is not the usual one, in lower case: the
    /// `Origin` that browsers send.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the path, with a slash at its beginning and none at its end; empty without a path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// A text is not the address of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the address of the pages; use one such as https://club.example/othello")]
pub struct BadUrl;

impl FromStr for BaseUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(BadUrl)?;
        let scheme = scheme.to_ascii_lowercase();
        let usual_port = match scheme.as_str() {
            "https" => 443,
            "http" => 80,
            _ => return Err(BadUrl),
        };
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let authority = authority.to_ascii_lowercase();
        // The colons of an IPv6 address stand in brackets.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, Some(port.parse::<u16>().map_err(|_| BadUrl)?))
            }
            _ => (authority.as_str(), None),
        };
        let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                let fits = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
                !host.is_empty() && host.chars().all(fits)
            }
        };
        let path = path.trim_end_matches('/');
        let is_segment = |segment: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            !["", ".", ".."].contains(&segment) && segment.chars().all(fits)
        };
        if !is_host || !path.split('/').skip(1).all(is_segment) || text.len() > MAX_URL_BYTES {
            return Err(BadUrl);
        }
        let port = port.filter(|&port| port != usual_port);
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        Ok(Self { origin: format!("{scheme}://{host}{port}"), path: path.to_owned() })
    }
}

fn base_url<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<BaseUrl>, D::Error> {
    let text = String::deserialize(value)?;
    let url =
        text.parse().map_err(|bad| serde::de::Error::custom(format!("url: {text:?} is {bad}")));
    url.map(Some)
}

/// A network of addresses, such as `127.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// Its first address.
    address: IpAddr,
    /// How many bits of an address are those of the network.
    bits: u32,
}

/// A text is not a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an address or a network; use one such as 10.0.0.0/8")]
pub struct BadNetwork;

impl Network {
    const LOOPBACK: [Self; 2] = [
        Self { address: IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 0)), bits: 8 },
        Self { address: IpAddr::V6(std::net::Ipv6Addr::LOCALHOST), bits: 128 },
    ];

    /// Returns whether an address belongs to the network. An IPv4 address that is written as IPv6 is
    /// the same.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= self.bits
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().map_err(|_| BadNetwork)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| BadNetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(Self { address, bits }).ok_or(BadNetwork)
    }
}

fn networks<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Vec<Network>, D::Error> {
    let texts = Vec::<String>::deserialize(value)?;
    let network = |text: String| {
        let bad = |bad| serde::de::Error::custom(format!("proxies: {text:?} is {bad}"));
        text.parse().map_err(bad)
    };
    texts.into_iter().map(network).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_pages_has_an_origin_and_a_path() {
        for (text, origin, path) in [
            ("https://club.example", "https://club.example", ""),
            ("https://club.example/", "https://club.example", ""),
            ("HTTPS://Club.example:443/Othello/", "https://club.example", "/Othello"),
            ("http://localhost:8080/a/b", "http://localhost:8080", "/a/b"),
            ("http://[::1]:8080", "http://[::1]:8080", ""),
        ] {
            let url: BaseUrl = text.parse().unwrap();
            assert_eq!((url.origin(), url.path()), (origin, path), "{text}");
        }
        for text in [
            "",
            "club.example",
            "ftp://club.example",
            "https://",
            "https:///othello",
            "https://alice@club.example",
            "https://club.example:port",
            "https://club.example:80:80",
            "https://[::1/",
            "https://club.example/?a=b",
            "https://club.example/a#b",
            "https://club.example/a b",
            "https://club.example/a\"b",
            "https://club.example//a",
            "https://club.example/../a",
            "https://club.example/\nX-Header: y",
            "https://z\u{fc}rich.example",
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(BadUrl), "{text}");
        }
    }

    #[test]
    fn a_network_contains_its_addresses() {
        for (network, address, is_inside) in [
            ("127.0.0.0/8", "127.1.2.3", true),
            ("127.0.0.0/8", "::ffff:127.0.0.1", true),
            ("127.0.0.0/8", "128.0.0.1", false),
            ("127.0.0.0/8", "::1", false),
            ("::1", "::1", true),
            ("::1", "::2", false),
            ("10.1.0.0/16", "10.1.255.1", true),
            ("10.1.0.0/16", "10.2.0.1", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
        ] {
            let network: Network = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), is_inside, "{address}");
        }
        for text in ["", "localhost", "127.0.0.1/33", "::1/129", "127.0.0.1/", "127.0.0.1/-1"] {
            assert_eq!(text.parse::<Network>(), Err(BadNetwork), "{text}");
        }
    }
}
