//! How the page looks and moves: two files, compiled in, under names that change with what is in them.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use guild_engine::manifest::Digest;

use super::html::Url;

/// How the page looks.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::of("page.css", "text/css; charset=utf-8", include_str!("assets/page.css")));
/// How it moves.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::of("page.js", "text/javascript; charset=utf-8", include_str!("assets/page.js")));

/// A file.
pub(crate) struct Asset {
    name: String,
    kind: &'static str,
    content: &'static str,
}

impl Asset {
    fn of(name: &str, kind: &'static str, content: &'static str) -> Self {
        let digits: String = Digest::of(content.as_bytes()).to_hex().chars().take(16).collect();
        Self { name: format!("{digits}-{name}"), kind, content }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> Url {
        Url::of(&["assets", &self.name])
    }
}

/// Everybody may have them; there is nothing of anybody's in them.
pub(crate) fn assets() -> Router {
    Router::new().route("/assets/{name}", get(asset))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = [&*STYLE, &*SCRIPT].into_iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // What has this name never changes.
    let tag = format!("\"{}\"", asset.name);
    let kept = [(ETAG, tag.clone()), (CACHE_CONTROL, "public, max-age=31536000, immutable".to_owned())];
    if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    (kept, [(CONTENT_TYPE, asset.kind)], asset.content).into_response()
}
