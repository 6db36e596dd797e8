//! The filmstrip of a Lighthouse result: small pictures of the page while it loads.

use model::lab::LabFrame;
use serde_json::Value;

use super::{number, text};

/// Frames that are read. Lighthouse makes 8.
const MOST_FRAMES: usize = 10;
/// Size limit of a frame in bytes of its `data:` URL. Those of Lighthouse, 120 pixels wide, have 2,000 to 8,000.
const FRAME_BYTES: usize = 32 * 1024;
/// How a frame begins: the type that Lighthouse makes, and the only one that is shown.
const JPEG: &str = "data:image/jpeg;base64,";

/// The frames in their order; what is no JPEG in base64, or too large, is left out.
pub(super) fn frames(result: &Value) -> Vec<LabFrame> {
    let items = result.pointer("/audits/screenshot-thumbnails/details/items").and_then(Value::as_array);
    items.into_iter().flatten().filter_map(frame).take(MOST_FRAMES).collect()
}

fn frame(item: &Value) -> Option<LabFrame> {
    let image = text(Some(item), "data").filter(|image| image.len() <= FRAME_BYTES)?;
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    image.strip_prefix(JPEG).filter(|data| !data.is_empty() && data.bytes().all(is_base64))?;
    let at_ms = number(item, "timing").filter(|ms| (0.0..=f64::from(u32::MAX)).contains(ms))?;
    // In the range of the type, by the line before.
    Some(LabFrame { at_ms: at_ms.round() as u32, image: image.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(items: &Value) -> Vec<LabFrame> {
        frames(&json!({"audits": {"screenshot-thumbnails": {"details": {"type": "filmstrip", "items": items}}}}))
    }

    #[test]
    fn jpegs_are_read_and_anything_else_is_left_out() {
        let image = format!("{JPEG}/9j/4AAQ==");
        let long = format!("{JPEG}{}", "A".repeat(FRAME_BYTES));
        let items = json!([
            {"timing": 300.4, "timestamp": 1, "data": image},
            {"timing": 600, "data": "https://example.com/picture.jpg"},
            {"timing": 900, "data": "data:image/svg+xml;base64,PHN2Zz4="},
            {"timing": 1200, "data": format!("{image}\" onload=\"")},
            {"timing": 1500, "data": long},
            {"timing": -1, "data": image},
            {"data": image},
            {"timing": 3000, "data": image},
        ]);
        let frame = |at_ms| LabFrame { at_ms, image: image.clone() };
        assert_eq!(of(&items), [frame(300), frame(3000)]);
        assert!(frames(&json!({})).is_empty() && of(&json!(7)).is_empty());
        let many: Vec<Value> = (0..50).map(|ms| json!({"timing": ms, "data": image})).collect();
        assert_eq!(of(&json!(many)).len(), MOST_FRAMES);
    }
}
