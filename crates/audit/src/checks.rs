//! The catalog: every family, by category and name. A test compares it with the folder.

use crate::check::{Check, Family};

mod agents {
    pub(super) mod agent_readability;
    pub(super) mod ai_crawlers;
    pub(super) mod ai_usage;
    pub(super) mod app_shell;
    pub(super) mod llms_txt;
    pub(super) mod well_known;
}
mod canonical {
    #[expect(clippy::module_inception, reason = "a family may be named as its category is")]
    pub(super) mod canonical;
    pub(super) mod canonical_conflicts;
    pub(super) mod canonical_page;
    pub(super) mod canonical_tag;
    pub(super) mod canonical_target;
    pub(super) mod url_structure;
}
mod content {
    pub(super) mod garbled_text;
    pub(super) mod headings;
    pub(super) mod legacy_markup;
}
mod crawl {
    pub(super) mod robots_txt;
    pub(super) mod robots_txt_sitemap;
    pub(super) mod robots_txt_syntax;
    pub(super) mod robots_txt_tester;
    pub(super) mod sitemap;
    pub(super) mod sitemap_entry;
    pub(super) mod sitemap_lastmod;
    pub(super) mod sitemap_urls;
}
mod head {
    pub(super) mod charset;
    pub(super) mod doctype;
    pub(super) mod favicon;
    pub(super) mod head_structure;
    pub(super) mod meta_description;
    pub(super) mod title;
    pub(super) mod viewport;
}
mod http {
    pub(super) mod access;
    pub(super) mod bot_access;
    pub(super) mod content_type;
    pub(super) mod meta_refresh;
    pub(super) mod page_size;
    pub(super) mod redirects;
    pub(super) mod response_headers;
    pub(super) mod soft_404;
}
mod i18n {
    pub(super) mod content_language;
    pub(super) mod hreflang;
    pub(super) mod hreflang_set;
    pub(super) mod html_lang;
}
mod images {
    pub(super) mod image_alt;
    pub(super) mod image_dimensions;
}
mod indexing {
    pub(super) mod noindex;
    pub(super) mod noindex_conflicts;
    pub(super) mod robots_meta;
    pub(super) mod snippet_controls;
    pub(super) mod unavailable_after;
    pub(super) mod x_robots_tag;
}
mod links {
    pub(super) mod link_target;
    pub(super) mod link_text;
}
mod performance {
    pub(super) mod core_web_vitals;
    pub(super) mod delivery;
    pub(super) mod page_weight;
    pub(super) mod scripts;
    pub(super) mod styles;
}
mod security {
    pub(super) mod content_security_policy;
    pub(super) mod cookies;
    pub(super) mod hsts;
    pub(super) mod https;
    pub(super) mod mixed_content;
    pub(super) mod secrets;
    pub(super) mod security_headers;
    pub(super) mod security_txt;
    pub(super) mod subresource_integrity;
    pub(super) mod tls_certificate;
}
mod social {
    pub(super) mod open_graph;
    pub(super) mod social_image;
}
mod structured_data {
    pub(super) mod breadcrumbs;
    pub(super) mod entities;
    pub(super) mod guidelines;
    pub(super) mod jsonld;
    pub(super) mod jsonld_values;
    pub(super) mod presence;
    pub(super) mod rich_results;
    pub(super) mod site_name;
    pub(super) mod vocabulary;
}

/// Every family, in catalog order.
pub const FAMILIES: &[&Family] = &[
    &http::access::FAMILY,
    &http::bot_access::FAMILY,
    &http::redirects::FAMILY,
    &http::meta_refresh::FAMILY,
    &http::content_type::FAMILY,
    &http::page_size::FAMILY,
    &http::response_headers::FAMILY,
    &http::soft_404::FAMILY,
    &indexing::noindex::FAMILY,
    &indexing::x_robots_tag::FAMILY,
    &indexing::noindex_conflicts::FAMILY,
    &indexing::robots_meta::FAMILY,
    &indexing::snippet_controls::FAMILY,
    &indexing::unavailable_after::FAMILY,
    &crawl::robots_txt::FAMILY,
    &crawl::robots_txt_tester::FAMILY,
    &crawl::robots_txt_syntax::FAMILY,
    &crawl::robots_txt_sitemap::FAMILY,
    &crawl::sitemap::FAMILY,
    // Before the page's own entry, whose fix takes over what these correct in the file.
    &crawl::sitemap_urls::FAMILY,
    &crawl::sitemap_entry::FAMILY,
    &crawl::sitemap_lastmod::FAMILY,
    &canonical::canonical::FAMILY,
    &canonical::canonical_tag::FAMILY,
    &canonical::canonical_page::FAMILY,
    &canonical::canonical_target::FAMILY,
    &canonical::canonical_conflicts::FAMILY,
    &canonical::url_structure::FAMILY,
    &head::charset::FAMILY,
    &head::doctype::FAMILY,
    &head::favicon::FAMILY,
    &head::head_structure::FAMILY,
    &head::meta_description::FAMILY,
    &head::title::FAMILY,
    &head::viewport::FAMILY,
    &content::garbled_text::FAMILY,
    &content::headings::FAMILY,
    &content::legacy_markup::FAMILY,
    &links::link_target::FAMILY,
    &links::link_text::FAMILY,
    &images::image_alt::FAMILY,
    &images::image_dimensions::FAMILY,
    &structured_data::breadcrumbs::FAMILY,
    &structured_data::entities::FAMILY,
    &structured_data::guidelines::FAMILY,
    &structured_data::jsonld::FAMILY,
    &structured_data::jsonld_values::FAMILY,
    &structured_data::presence::FAMILY,
    &structured_data::rich_results::FAMILY,
    &structured_data::site_name::FAMILY,
    &structured_data::vocabulary::FAMILY,
    &i18n::content_language::FAMILY,
    &i18n::hreflang::FAMILY,
    &i18n::hreflang_set::FAMILY,
    &i18n::html_lang::FAMILY,
    &social::open_graph::FAMILY,
    &social::social_image::FAMILY,
    &performance::core_web_vitals::FAMILY,
    &performance::delivery::FAMILY,
    &performance::page_weight::FAMILY,
    &performance::scripts::FAMILY,
    &performance::styles::FAMILY,
    &security::content_security_policy::FAMILY,
    &security::cookies::FAMILY,
    &security::hsts::FAMILY,
    &security::https::FAMILY,
    &security::mixed_content::FAMILY,
    &security::secrets::FAMILY,
    &security::security_headers::FAMILY,
    &security::security_txt::FAMILY,
    &security::subresource_integrity::FAMILY,
    &security::tls_certificate::FAMILY,
    &agents::agent_readability::FAMILY,
    &agents::ai_crawlers::FAMILY,
    &agents::ai_usage::FAMILY,
    &agents::app_shell::FAMILY,
    &agents::llms_txt::FAMILY,
    &agents::well_known::FAMILY,
];

/// Every check, in catalog order.
pub fn all() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(|family| family.checks)
}

/// The check of a code.
pub fn find(code: &str) -> Option<&'static Check> {
    all().find(|check| check.code == code)
}
