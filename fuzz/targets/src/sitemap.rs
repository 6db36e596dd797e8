//! Sitemaps in all their forms.
//!
//! The input is the file that robots.txt names.

use model::capture::{Capture, WantKind};
use model::report::Report;

use crate::capture;
use crate::reported::reported;

const HTML: &[u8] = b"<!doctype html><html lang=en><head><title>Bread</title></head><body><h1>Bread</h1></body></html>";
const ROBOTS: &[u8] = b"Sitemap: https://www.example.com/s.xml\n";

/// Any file gives a report within its bounds; one that is given back with the page added lists the page.
pub fn check(data: &[u8]) {
    let report = reported(&site(data));
    let Some(file) = report.patch.files.iter().find(|file| file.path == "/s.xml") else { return };
    assert_eq!(state(&report), "absent", "the page was added to a file that does not call for it");
    let mended = reported(&site(file.content.as_bytes()));
    assert_eq!(state(&mended), "found", "the page is not in the file that was given back");
}

fn site(sitemap: &[u8]) -> Capture {
    let page = capture::page("https://www.example.com/bread", "text/html; charset=utf-8", HTML);
    let with_robots = capture::with_extra(page, WantKind::RobotsTxt, "https://www.example.com/robots.txt", ROBOTS);
    capture::with_extra(with_robots, WantKind::Sitemap, "https://www.example.com/s.xml", sitemap)
}

fn state(report: &Report) -> &str {
    report.summary.as_ref().map_or("", |summary| summary.sitemap.state.as_str())
}
