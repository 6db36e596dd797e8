//! Images without dimensions: what their tags lack, from the file's own head.

use model::fix::{Fix, FixClass};
use model::report::Report;

use crate::capture::page;
use crate::site::Site;

/// A GIF of 640 by 480 pixels, as far as anybody reads it.
const GIF: &[u8] = b"GIF89a\x80\x02\xE0\x01";

fn report(source: &str) -> Report {
    Site::new(page("https://example.com/page", source)).with("/a.gif", GIF).report()
}

fn fix(source: &str) -> Option<Fix> {
    report(source).fixes.into_iter().find(|fix| fix.code == "image_dimensions_missing")
}

#[test]
fn a_measured_image_gets_its_real_size() {
    let fix = fix("<img src=a.gif alt=a>").unwrap();
    assert_eq!(fix.class, FixClass::Deterministic);
    assert_eq!(fix.snippet.as_deref(), Some("<img src=a.gif alt=a width=\"640\" height=\"480\">"));
    assert_eq!(fix.origin.unwrap().en, "the size of the image file: 640 × 480 pixels");
    assert!(fix.note.unwrap().en.contains("height: auto"));
}

#[test]
fn a_side_that_is_stated_stays_and_the_other_keeps_the_proportion() {
    let snippet = |source: &str| fix(source).unwrap().snippet.unwrap();
    assert_eq!(snippet("<img src=a.gif width=320>"), "<img src=a.gif width=320 height=\"240\">");
    assert_eq!(snippet("<img src=a.gif height=1>"), "<img src=a.gif height=1 width=\"1\">");
    // A share of the room is no side of the picture: with a height in pixels it would be distorted.
    assert_eq!(snippet("<img src=a.gif width='100%'>"), "<img src=a.gif width=\"{{WIDTH}}\" height=\"{{HEIGHT}}\">");
}

#[test]
fn one_image_that_is_not_measured_makes_it_a_template_that_keeps_what_is_known() {
    let other = fix("<img src=b.gif><img srcset='/a.gif 9w' src=/a.gif>").unwrap();
    assert_eq!(other.class, FixClass::Template);
    assert_eq!(
        other.snippet.as_deref(),
        Some(
            "<img srcset='/a.gif 9w' src=/a.gif width=\"640\" height=\"480\">\n\
             <img src=b.gif width=\"{{WIDTH}}\" height=\"{{HEIGHT}}\">"
        )
    );
    let unread = fix("<img src=b.gif>").unwrap();
    assert_eq!((unread.class, unread.origin), (FixClass::Template, None));
}

#[test]
fn images_whose_room_is_known_are_not_told_and_pages_without_any_have_nothing_to_measure() {
    for source in [
        "<img src=a.gif width=640 height=480>",
        "<img src=a.gif style='aspect-ratio: 4/3'>",
        "<img src=icon.svg width=24>",
        "<img src=a.gif hidden>",
        "<img alt=a>",
    ] {
        assert!(fix(source).is_none(), "{source}");
        assert!(report(source).coverage.passed.iter().any(|code| code == "image_dimensions_missing"), "{source}");
    }
    assert!(report("<p>x").coverage.not_applicable.iter().any(|code| code == "image_dimensions_missing"));
}

#[test]
fn a_card_is_large_where_the_social_image_is() {
    let card = |image: &[u8], tags: &str| {
        let source = format!("<meta property=og:image content=/s.gif>{tags}");
        let report = Site::new(page("https://example.com/page", source)).with("/s.gif", image).report();
        let fix = report.fixes.into_iter().find(|fix| fix.code == "twitter_card_missing").unwrap();
        fix.snippet.unwrap().contains("summary_large_image")
    };
    assert!(card(b"GIF89a\x58\x02\x2C\x01", ""));
    assert!(!card(GIF, ""));
    assert!(!card(b"GIF89a\xC8\0\x64\0", ""));
    assert!(!card(b"", ""));
    let stated = "<meta property=og:image:width content=1200><meta property=og:image:height content=630>";
    assert!(card(b"", stated));
}
