//! The canonical form of JSON (JCS, RFC 8785): the same bytes for the same data, however a file was formatted.

use serde_json::Value;

/// The largest integer that a double holds exactly, with all below it (RFC 7493 §2.2).
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// A number that has no canonical form: outside the range of a double, or an integer that a double would round.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the number {0} has no canonical form (RFC 8785)")]
pub(super) struct Uncanonical(String);

/// The canonical form of a value.
pub(super) fn canonical(value: &Value) -> Result<String, Uncanonical> {
    let mut out = String::new();
    write(value, &mut out)?;
    Ok(out)
}

/// Recurses as deep as the value, which a parser of JSON cuts at 128 levels.
fn write(value: &Value, out: &mut String) -> Result<(), Uncanonical> {
    match value {
        Value::Number(number) => out.push_str(&written(&number.to_string())?),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out)?;
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            // By UTF-16 code units (§3.2.3), which differs from the order of UTF-8 beyond U+FFFF.
            fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (at, (name, value)) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(value, out)?;
            }
            out.push('}');
        }
        // serde_json escapes what §3.2.2.2 says, in the same way.
        other => out.push_str(&other.to_string()),
    }
    Ok(())
}

/// A number as ECMAScript writes it (§3.2.2.3): the shortest digits that are read as the same double.
fn written(text: &str) -> Result<String, Uncanonical> {
    let refused = || Uncanonical(text.to_owned());
    let number: f64 = text.parse().map_err(|_| refused())?;
    let is_integer = !text.contains(['.', 'e', 'E']);
    if !number.is_finite() || is_integer && number.abs() > MOST_EXACT {
        return Err(refused());
    }
    // Of two shortest texts that are equally near it is the even one, which the standard library does not promise.
    Ok(ryu_js::Buffer::new().format_finite(number).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_standard() {
        // RFC 8785 appendix B: the bits of a double, and its text.
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let number = f64::from_bits(bits);
            assert_eq!(written(&format!("{number:e}")).unwrap(), text, "{number:e}");
        }
        for text in ["1e400", "-1e999", "9007199254740992", "12345678901234567890"] {
            assert_eq!(written(text), Err(Uncanonical(text.to_owned())));
        }
    }

    #[test]
    fn a_value_is_written_as_the_standard_does() {
        // RFC 8785 §3.2.2 and §3.2.3.
        let example = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let wanted = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                      \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(&serde_json::from_str(example).unwrap()).unwrap(), wanted);
        let sorted = r#"{"€":1,"\r":2,"\ufb33":3,"1":4,"😀":5,"\u0080":6,"ö":7}"#;
        assert_eq!(
            canonical(&serde_json::from_str(sorted).unwrap()).unwrap(),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}"
        );
    }
}
