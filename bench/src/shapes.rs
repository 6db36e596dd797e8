//! Hostile sources: shapes that repeat something.

/// What a shape repeats, by the number of the piece.
pub(crate) type RepeatedPiece = fn(usize) -> String;

/// Sources that make a careless parser slow: deep nesting, and shapes that made parsers quadratic.
pub(crate) const HOSTILE: &[(&str, RepeatedPiece)] = &[
    ("nested div", |_| "<div>".to_owned()),
    ("nested ul li", |_| "<ul><li>".to_owned()),
    ("nested dl dd", |_| "<dl><dd>".to_owned()),
    ("nested span", |_| "<span>".to_owned()),
    ("nested unknown names", |n| format!("<n{n}>")),
    ("nested b", |_| "<b>".to_owned()),
    ("nested b p", |_| "<b><p>".to_owned()),
    ("nested a div", |_| "<a><div>".to_owned()),
    ("nested table", |_| "<table>".to_owned()),
    ("nested table tr td", |_| "<table><tr><td>".to_owned()),
    ("nested template", |_| "<template>".to_owned()),
    ("select option", |_| "<select><option>".to_owned()),
    ("nested svg g", |_| "<svg><g>".to_owned()),
    ("attributes of one tag", |n| if n == 0 { "<p ".to_owned() } else { format!("a{n} ") }),
    ("body with one more", |n| format!("<body a{n}=1>")),
    ("b xN", |n| format!("<b x{n}>")),
    ("b xN p", |n| format!("<b x{n}><p>")),
    ("b N, i N, x and ends", |n| match n {
        0..50_000 => format!("<b {n}>"),
        50_000..100_000 => format!("<i {n}>"),
        _ => "x</b>".to_owned(),
    }),
    ("div, then ends of p", |n| if n < 150_000 { "<div>".to_owned() } else { "</p>".to_owned() }),
    ("div, then ends of span", |n| if n < 150_000 { "<div>".to_owned() } else { "</span>".to_owned() }),
    ("svg g, then ends of x", |n| match n {
        0 => "<svg>".to_owned(),
        1..300_000 => "<g>".to_owned(),
        _ => "</x>".to_owned(),
    }),
    ("text before tables", |_| "<table>x".to_owned()),
    ("character references", |_| "&amp;".to_owned()),
    ("starts of comments", |_| "<!--".to_owned()),
    ("ends of b", |_| "</b>".to_owned()),
    ("a and a bracket", |_| "a<".to_owned()),
    ("NUL", |_| "\0".to_owned()),
    ("CR", |_| "\r".to_owned()),
    ("names of one weak hash", |n| format!("<{}>", colliding(n))),
];

/// Names whose letters have the same hash.
fn colliding(n: usize) -> String {
    let bits = (0..17).map(|bit| if n >> bit & 1 == 0 { "ad" } else { "bc" });
    format!("x{}", bits.collect::<String>())
}

/// A shape repeated up to so many bytes.
pub(crate) fn filled(shape: RepeatedPiece, bytes: usize) -> String {
    let mut source = String::with_capacity(bytes);
    for n in 0.. {
        let piece = shape(n);
        if source.len() + piece.len() > bytes {
            break;
        }
        source.push_str(&piece);
    }
    source
}
