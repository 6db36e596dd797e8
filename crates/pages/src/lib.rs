//! Pages for people: HTML that works without a script. They show what use cases answer.

mod account;
mod address;
mod allowance;
mod api_index;
mod assets;
mod audit_form;
mod bot;
mod card;
mod challenge;
mod checks;
mod compare;
mod comparison;
mod contact;
mod credit;
mod csrf;
mod docs;
mod done;
mod embed;
mod error;
mod example;
mod filters;
mod frame;
mod handler;
mod home;
mod hub_filter;
mod logo;
mod markdown;
mod operator;
mod partners;
mod pieces;
mod plot;
mod pricing;
mod reader;
mod report;
mod response;
mod routes;
mod running;
mod running_end;
mod share;
mod sitemap;
mod sites;
mod status;
mod theme;
mod theme_choice;
mod tools;
mod watch;
mod words;
mod workspace;

use api::web::Pages;
use axum::middleware;
use service::error::{Code, ServiceError};

/// All pages, for the web side.
pub fn pages() -> Pages {
    Pages {
        router: routes::router(),
        pattern: routes::pattern,
        not_found: |site, request| {
            let reader = reader::Reader::of(request.headers(), request.uri().query());
            error::page(site.services(), &ServiceError::new(Code::NotFound), reader)
        },
        around: |router, site| {
            // In one layer, as each is copied for every call.
            router.layer((
                middleware::from_fn(api_index::lead_people),
                middleware::from_fn_with_state(site, markdown::negotiate),
            ))
        },
    }
}
