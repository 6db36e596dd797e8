//! What a capture says, parsed and unjudged. One file a part; each is total on any bytes.
//!
//! Readers of bytes and markup come first, then [`Facts`], which holds what they read, then what is concluded from it.

mod alternate_faults;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a pattern is asked for by the check that would report it; some wait for theirs")
)]
pub(crate) mod by_design;
pub mod canonical;
pub mod challenge;
pub mod charset;
pub(crate) mod completion;
pub mod content_images;
pub mod content_type;
pub(crate) mod cookies;
pub mod crawlers;
pub(crate) mod csp;
pub(crate) mod detected_language;
pub mod discovery;
pub mod document;
pub mod elements;
pub(crate) mod evidence;
pub mod field_data;
pub mod fitting;
pub mod font_metrics;
pub(crate) mod headings;
pub mod hreflang;
mod image_header;
pub(crate) mod image_names;
pub(crate) mod image_room;
mod item;
pub mod jsonld;
mod known;
pub mod language_tag;
pub mod link_header;
pub mod listed;
pub mod lost_head;
pub(crate) mod measured_images;
mod microdata;
pub(crate) mod named_page;
pub mod names;
pub(crate) mod new_nodes;
pub(crate) mod node_values;
pub(crate) mod nofollow;
mod not_measured;
pub mod page;
pub mod page_language;
pub mod placeholders;
pub mod platform;
mod rdfa;
pub mod redirects;
pub mod refresh;
pub(crate) mod resolved;
mod robots;
pub mod robots_directives;
pub mod robots_tag;
pub mod robots_txt;
pub mod schema_org;
pub(crate) mod secrets;
pub(crate) mod sentences;
pub mod shell;
pub(crate) mod shown_markup;
pub(crate) mod simple_selector;
pub mod site_files;
pub mod sitemap;
pub mod sitemap_draft;
pub mod sitemap_survey;
pub(crate) mod social_image;
pub mod soft_404;
pub(crate) mod structured_data;
pub mod text;
pub mod url_identity;
pub mod visibility;
pub mod walk;
pub mod words;

pub use known::Facts;
pub use not_measured::NotMeasured;
