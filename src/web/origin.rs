//! The origin of a request: the site of the page that sends it, and the peer.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HeaderMap, HeaderName, HeaderValue, ORIGIN};

use crate::config::WebSettings;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The sender of a request, in its extensions; `None` if a reverse proxy does not name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub Option<IpAddr>);

/// Returns whether a page of this site sends the request, as the browser says: only then may it change
/// anything.
pub(super) fn is_own_page(headers: &HeaderMap, settings: &WebSettings) -> bool {
    let values = |name| headers.get_all(name).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
    match (&values(SEC_FETCH_SITE)[..], &values(ORIGIN)[..], &settings.url) {
        ([site], ..) => *site == b"same-origin",
        // A browser of before 2023.
        ([], [origin], Some(url)) => *origin == url.origin().as_bytes(),
        _ => false,
    }
}

/// Returns the peer: the other end of the connection, or the client that the reverse proxy there names.
/// `None` if the proxy names none.
pub(super) fn peer(
    connection: IpAddr,
    headers: &HeaderMap,
    settings: &WebSettings,
) -> Option<IpAddr> {
    if !settings.is_proxy(connection) {
        return Some(connection);
    }
    // The proxy adds the last address. The client can have written those before it.
    let last = headers.get_all(X_FORWARDED_FOR).iter().next_back();
    last.and_then(|value| address(value.to_str().ok()?.rsplit(',').next()?.trim()))
}

/// Parses an address, which can have a port: `192.0.2.7`, `192.0.2.7:80`, `2001:db8::1`, `[2001:db8::1]` or
/// `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    bare.parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let value = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), value.parse().unwrap())
        };
        all.iter().map(value).collect()
    }

    fn settings(url: &str) -> WebSettings {
        WebSettings { url: url.parse().ok(), ..WebSettings::default() }
    }

    #[test]
    fn only_pages_of_this_site_change_anything() {
        let own = ("origin", "https://club.example");
        let is_own = |all: &[_], url| is_own_page(&headers(all), &settings(url));
        for (all, is_expected) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "same-origin"), ("origin", "null")], true),
            (&[own], true),
            (&[], false),
            (&[("sec-fetch-site", "same-site"), own], false),
            (&[("sec-fetch-site", "cross-site"), own], false),
            (&[("sec-fetch-site", "none"), own], false),
            (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], false),
            (&[("origin", "null")], false),
            (&[("origin", "http://club.example")], false),
            (&[("origin", "https://club.example.evil.example")], false),
            (&[("origin", "https://club.example:8443")], false),
            (&[own, own], false),
        ] {
            let headers: Vec<_> = all.to_vec();
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(HeaderName::from_static(name), value.parse().unwrap());
            }
            let is_own = is_own_page(&map, &settings("https://club.example/othello"));
            assert_eq!(is_own, is_expected, "{all:?}");
        }
        assert!(!is_own(&[own], ""));
        assert!(is_own(&[("sec-fetch-site", "same-origin")], ""));
    }

    #[test]
    fn only_a_proxy_names_the_peer() {
        let peer_of = |connection: &str, all: &[_]| {
            let peer = peer(connection.parse().unwrap(), &headers(all), &settings(""));
            peer.map_or("unknown".to_owned(), |peer| peer.to_string())
        };
        let forwarded = ("x-forwarded-for", "203.0.113.9, 192.0.2.7");
        assert_eq!(peer_of("127.0.0.1", &[forwarded]), "192.0.2.7");
        assert_eq!(peer_of("::1", &[("x-forwarded-for", "2001:db8::1")]), "2001:db8::1");
        assert_eq!(peer_of("198.51.100.1", &[forwarded]), "198.51.100.1");
        for (text, address) in [
            ("1.2.3.4:5678", "1.2.3.4"),
            ("[::1]:5678", "::1"),
            ("203.0.113.9, [2001:db8::1]", "2001:db8::1"),
        ] {
            assert_eq!(peer_of("127.0.0.1", &[("x-forwarded-for", text)]), address);
        }
        for strange in ["", "unknown", "192.0.2.7,", "192.0.2.7:", "[::1", "[::1]5678", "::1]"] {
            assert_eq!(peer_of("127.0.0.1", &[("x-forwarded-for", strange)]), "unknown");
        }
        assert_eq!(peer_of("127.0.0.1", &[]), "unknown");
    }
}
