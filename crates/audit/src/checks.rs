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
    pub(super) mod duplicate_ids;
    pub(super) mod form_labels;
    pub(super) mod garbled_text;
    pub(super) mod h1;
    pub(super) mod headings;
    pub(super) mod iframe_titles;
    pub(super) mod legacy_markup;
    pub(super) mod page_dates;
    pub(super) mod placeholder_text;
    pub(super) mod text_content;
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
    pub(super) mod app_icons;
    pub(super) mod base_url;
    pub(super) mod charset;
    pub(super) mod doctype;
    pub(super) mod favicon;
    pub(super) mod head_structure;
    pub(super) mod meta_description;
    pub(super) mod meta_description_length;
    pub(super) mod title;
    pub(super) mod title_length;
    pub(super) mod title_wording;
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
    pub(super) mod image_loading;
    pub(super) mod image_sources;
    pub(super) mod inline_images;
    pub(super) mod srcset;
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
    pub(super) mod contact_links;
    pub(super) mod crawlable_links;
    pub(super) mod fragment_links;
    pub(super) mod link_syntax;
    pub(super) mod link_target;
    pub(super) mod link_text;
    pub(super) mod nofollow_links;
}
mod performance {
    pub(super) mod core_web_vitals;
    pub(super) mod delivery;
    pub(super) mod document_write;
    pub(super) mod lazy_iframes;
    pub(super) mod page_weight;
    pub(super) mod preconnect;
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
    pub(super) mod og_image;
    pub(super) mod open_graph;
    pub(super) mod social_image;
    pub(super) mod twitter_card;
}
mod structured_data {
    pub(super) mod breadcrumbs;
    pub(super) mod entities;
    pub(super) mod guidelines;
    pub(super) mod jsonld;
    pub(super) mod jsonld_media;
    pub(super) mod jsonld_texts;
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
    &head::app_icons::FAMILY,
    &head::base_url::FAMILY,
    &head::charset::FAMILY,
    &head::doctype::FAMILY,
    &head::favicon::FAMILY,
    &head::head_structure::FAMILY,
    &head::meta_description::FAMILY,
    &head::meta_description_length::FAMILY,
    &head::title::FAMILY,
    &head::title_length::FAMILY,
    &head::title_wording::FAMILY,
    &head::viewport::FAMILY,
    &content::duplicate_ids::FAMILY,
    &content::form_labels::FAMILY,
    &content::garbled_text::FAMILY,
    &content::h1::FAMILY,
    &content::headings::FAMILY,
    &content::iframe_titles::FAMILY,
    &content::legacy_markup::FAMILY,
    &content::page_dates::FAMILY,
    &content::placeholder_text::FAMILY,
    &content::text_content::FAMILY,
    &links::contact_links::FAMILY,
    &links::crawlable_links::FAMILY,
    &links::fragment_links::FAMILY,
    &links::link_syntax::FAMILY,
    &links::link_target::FAMILY,
    &links::link_text::FAMILY,
    &links::nofollow_links::FAMILY,
    &images::image_alt::FAMILY,
    &images::image_dimensions::FAMILY,
    &images::image_loading::FAMILY,
    &images::image_sources::FAMILY,
    &images::inline_images::FAMILY,
    &images::srcset::FAMILY,
    &structured_data::breadcrumbs::FAMILY,
    &structured_data::entities::FAMILY,
    &structured_data::guidelines::FAMILY,
    &structured_data::jsonld::FAMILY,
    &structured_data::jsonld_media::FAMILY,
    &structured_data::jsonld_texts::FAMILY,
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
    &social::og_image::FAMILY,
    &social::twitter_card::FAMILY,
    &performance::core_web_vitals::FAMILY,
    &performance::delivery::FAMILY,
    &performance::page_weight::FAMILY,
    &performance::document_write::FAMILY,
    &performance::lazy_iframes::FAMILY,
    &performance::preconnect::FAMILY,
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
