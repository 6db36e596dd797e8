//! Documentation of the API for people, at `/docs`: made of the catalog of operations, the OpenAPI description and the table of
//! errors, so that it can't say anything else than they do.

mod embed;
mod errors;
mod guides;
mod hub;
mod layout;
mod operations;

use api::site::Site;
use axum::Router;

use crate::api_index::DOCS_PATH;
use crate::handler::get;

/// Routes of these pages.
pub(super) fn router() -> Router<Site> {
    Router::new()
        .route(DOCS_PATH, get(hub::show))
        .route("/docs/api/{name}", get(operations::show))
        .route("/docs/guides/{slug}", get(guides::show))
        .route("/docs/errors", get(errors::show))
        .route(layout::EMBED_PATH, get(embed::show))
}
