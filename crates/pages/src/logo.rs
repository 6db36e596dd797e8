//! The operator's logo, for printed reports.

use axum::extract::{Request, State};
use axum::response::Response;
use service::Services;
use service::error::{Code, ServiceError};

use crate::assets::asset;
use crate::error;
use crate::reader::Reader;

/// Where it is.
pub(super) const PATH: &str = "/logo";

/// The logo; 404 where none is configured.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    match services.logo() {
        Some(logo) => asset(logo.bytes.clone(), logo.media_type, "public, max-age=3600"),
        None => {
            let reader = Reader::of(request.headers(), request.uri().query());
            error::page(&services, &ServiceError::new(Code::NotFound), reader)
        }
    }
}
