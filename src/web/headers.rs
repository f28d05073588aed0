//! The headers that make pages safe.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

/// Nothing that a page contains runs as a script or loads from another site, and no other site can show
/// the page in a frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The headers of every response.
const ALWAYS: [(HeaderName, HeaderValue); 4] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // A link to another site does not tell it the token.
    (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
];

/// Adds the headers. A response that does not say otherwise belongs to one person: it is kept nowhere and
/// found by no search.
pub(super) fn complete(headers: &mut HeaderMap) {
    headers.extend(ALWAYS);
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
}
