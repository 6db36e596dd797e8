//! Pictures and PDFs of what a tab shows.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Tab;

/// Height of the longest picture in pixels: the browser draws no longer texture than 16,384.
const MOST_HEIGHT: u64 = 16_000;

impl Tab {
    /// The page as it goes on paper, as PDF.
    pub(in crate::pages) fn paper(&mut self) -> Vec<u8> {
        let made = self
            .call("Page.printToPDF", json!({ "preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69 }));
        STANDARD.decode(made["data"].as_str().unwrap()).unwrap()
    }

    /// A PNG of the whole page, or of its first `height` pixels.
    pub(in crate::pages) fn picture(&mut self, height: Option<u32>) -> Vec<u8> {
        let size = self.value("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]");
        let height = height.map_or(size[1].as_u64(), |height| Some(height.into())).unwrap_or_default().min(MOST_HEIGHT);
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": height, "scale": 1 });
        let shot = self.call("Page.captureScreenshot", json!({ "clip": clip, "captureBeyondViewport": true }));
        STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()
    }

    /// Writes what the window shows into the folder that Cargo keeps for tests.
    pub(super) fn picture_of_failure(&mut self) -> Option<PathBuf> {
        let shot = self.browser.call("Page.captureScreenshot", &json!({})).ok()?;
        let bytes = STANDARD.decode(shot["data"].as_str()?).ok()?;
        let name = std::thread::current().name().unwrap_or("page").replace("::", "-");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        std::fs::write(&path, bytes).ok()?;
        Some(path)
    }
}
