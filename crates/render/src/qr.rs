//! QR codes as drawings.

use qrcodegen::{QrCode, QrCodeEcc};

/// Light modules around a QR code (ISO/IEC 18004 §5.3.8).
const QUIET: i32 = 4;

/// A text as a QR code, as a path of an SVG drawing, and the width of that drawing; `None` for one too long. Dark modules
/// that lie side by side are one rectangle.
pub fn qr_path(text: &str) -> Option<(String, i32)> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let run = (x..code.size()).take_while(|x| code.get_module(*x, y)).fold(0, |run, _| run + 1);
            if run > 0 {
                path.push_str(&format!("M{} {}h{run}v1h-{run}z", x + QUIET, y + QUIET));
            }
            x += run + 1;
        }
    }
    Some((path, code.size() + 2 * QUIET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_has_the_modules_of_its_code() {
        let text = "00020126330014br.gov.bcb.pix0111123456789095204000053039865802BR";
        let (path, width) = qr_path(text).unwrap();
        let mut drawn = std::collections::BTreeSet::new();
        for run in path.split('M').skip(1) {
            let (place, _) = run.split_once("v1").unwrap();
            let numbers: Vec<i32> = place.split([' ', 'h']).map(|number| number.parse().unwrap()).collect();
            let [x, y, length] = numbers[..] else { panic!("{run}") };
            assert!(run.ends_with(&format!("v1h-{length}z")), "{run}");
            drawn.extend((x..x + length).map(|x| (x, y)));
        }
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        assert_eq!(width, code.size() + 8);
        for (x, y) in (0..width).flat_map(|x| (0..width).map(move |y| (x, y))) {
            assert_eq!(drawn.contains(&(x, y)), code.get_module(x - 4, y - 4), "{x} {y}");
        }
    }
}
