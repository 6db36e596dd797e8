//! Routes of handlers, whose types end here.
//!
//! Axum's own `get` and `post` keep the type of each handler, with all futures inside of it, through ten layers of generic
//! services, and the compiler proves for each layer again that these futures can go from thread to thread: a third of the
//! time that this crate took to compile.

use std::pin::Pin;
use std::sync::Arc;

use api::site::Site;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};

/// The response to come.
type Coming = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of any type.
#[derive(Clone)]
struct AnyHandler(Arc<dyn Fn(Request, Site) -> Coming + Send + Sync>);

impl Handler<(), Site> for AnyHandler {
    type Future = Coming;

    fn call(self, request: Request, site: Site) -> Coming {
        (self.0)(request, site)
    }
}

/// A route for GET and HEAD.
pub(crate) fn get<H: Handler<T, Site> + Sync, T: 'static>(handler: H) -> MethodRouter<Site> {
    on(MethodFilter::GET, any(handler))
}

/// A route for POST.
pub(crate) fn post<H: Handler<T, Site> + Sync, T: 'static>(handler: H) -> MethodRouter<Site> {
    on(MethodFilter::POST, any(handler))
}

fn any<H: Handler<T, Site> + Sync, T: 'static>(handler: H) -> AnyHandler {
    AnyHandler(Arc::new(move |request, site| Box::pin(handler.clone().call(request, site))))
}
