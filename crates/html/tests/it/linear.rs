//! Parsing takes steps in proportion to the source, whatever the source is. Steps, not time: a bench times the shapes.

use std::collections::HashMap;

use html::{Options, Tree};

/// Bytes of the smaller source; the larger has twice as many.
const SIZE: usize = 1024 * 1024;

/// A piece again and again.
fn repeated(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

/// Pieces with a number that counts up.
fn counted(piece: impl Fn(usize) -> String, size: usize) -> String {
    let mut source = String::with_capacity(size);
    for number in 0.. {
        let next = piece(number);
        if source.len() + next.len() > size {
            break;
        }
        source.push_str(&next);
    }
    source
}

/// A first half of one piece, and a second of another.
fn then(first: &str, second: &str, size: usize) -> String {
    repeated(first, size / 2) + &repeated(second, size / 2)
}

/// Names that this crate's own hash of known names can't tell apart: it turns by five bits a letter, so that the lowest
/// bit of one letter is cancelled by the second of the letter 13 further on.
fn colliding(number: usize) -> String {
    const LETTERS: usize = 13;
    let bit = |at: usize| u8::from(number >> at & 1 == 1);
    let letter = |at: usize| match at / LETTERS {
        0 => b'd' + bit(at),
        1 => b'd' + bit(at) + 2 * bit(at - LETTERS),
        _ => b'd' + 2 * bit(at - LETTERS),
    };
    (0..3 * LETTERS).map(|at| char::from(letter(at))).collect()
}

/// The lowest 16 bits of FNV-1a from a state on: the slot in any table of up to 65,536. They depend on nothing above.
fn fnv(state: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(state, |hash, byte| (hash ^ u16::from(*byte)).wrapping_mul(0x0193))
}

/// The state that FNV-1a starts from.
const FNV_START: u16 = 0x9DC5;

/// Pairs of pieces, each pair with one hash from the state that those before it lead to: so every choice of one of each
/// pair makes a name of the same hash.
fn fnv_pairs(pairs: usize) -> Vec<[String; 2]> {
    let mut state = FNV_START;
    let pair = |_| {
        let mut seen: HashMap<u16, String> = HashMap::new();
        for number in 0u32.. {
            let piece: String = (0..4).map(|at| char::from(b'a' + (number >> (4 * at) & 15) as u8)).collect();
            let hash = fnv(state, piece.as_bytes());
            if let Some(other) = seen.insert(hash, piece.clone()) {
                state = hash;
                return [other, piece];
            }
        }
        unreachable!("two of so many pieces have the same hash")
    };
    (0..pairs).map(pair).collect()
}

fn fnv_collisions(size: usize) -> String {
    let pairs = fnv_pairs(16);
    let name = |number: usize| -> String {
        pairs.iter().enumerate().map(|(at, pair)| pair[number >> at & 1].as_str()).collect()
    };
    counted(|number| format!("<{}>", name(number)), size)
}

/// Shapes that go past the limit of work: many formatting elements that all differ, formatting elements copied into more
/// nodes than a source may make, and attributes of `body` without end.
const STOPPED: [&str; 5] = ["body with one more attribute", "b p", "b xN", "b xN p", "b N, i N, x, /b"];

type Shape = (&'static str, fn(usize) -> String);

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    ("div", |size| repeated("<div>", size)),
    ("ul li", |size| repeated("<ul><li>", size)),
    ("dl dd", |size| repeated("<dl><dd>", size)),
    ("span", |size| repeated("<span>", size)),
    ("unknown names", |size| counted(|n| format!("<x{n}>"), size)),
    ("b", |size| repeated("<b>", size)),
    ("b p", |size| repeated("<b><p>", size)),
    ("a div", |size| repeated("<a><div>", size)),
    ("table", |size| repeated("<table>", size)),
    ("table tr td", |size| repeated("<table><tr><td>", size)),
    ("template", |size| repeated("<template>", size)),
    ("select option", |size| repeated("<select><option>", size)),
    ("svg g", |size| "<svg>".to_owned() + &repeated("<g>", size)),
    ("one tag full of attributes", |size| format!("<p {}>", counted(|n| format!("a{n} "), size))),
    ("body with one more attribute", |size| counted(|n| format!("<body a{n}=1>"), size)),
    ("b xN", |size| counted(|n| format!("<b x{n}>"), size)),
    ("b xN p", |size| counted(|n| format!("<b x{n}><p>"), size)),
    ("b N, i N, x, /b", |size| {
        let third = |piece: fn(usize) -> String| counted(piece, size / 3);
        third(|n| format!("<b {n}>")) + &third(|n| format!("<i {n}>")) + "x" + &repeated("</b>", size / 3)
    }),
    ("div, /p", |size| then("<div>", "</p>", size)),
    ("div, /span", |size| then("<div>", "</span>", size)),
    ("svg g, /x", |size| "<svg>".to_owned() + &then("<g>", "</x>", size)),
    ("text before tables", |size| repeated("<table>x", size)),
    ("text in one table", |size| "<table>".to_owned() + &repeated("x<tr>", size)),
    ("references", |size| repeated("&amp;", size)),
    ("comments that start", |size| repeated("<!--", size)),
    ("end tags", |size| repeated("</b>", size)),
    ("a and less-than signs", |size| repeated("a<", size)),
    ("NUL", |size| repeated("\0", size)),
    ("CR", |size| repeated("\r", size)),
    ("names that collide here", |size| counted(|n| format!("<{}>", colliding(n)), size)),
    ("names that collide under FNV-1a", fnv_collisions),
];

fn parsed(shape: fn(usize) -> String, size: usize) -> Tree {
    html::parse(shape(size), &Options::default())
}

#[test]
fn twice_the_source_takes_twice_the_steps() {
    let mut failed = Vec::new();
    for (name, shape) in SHAPES {
        let (one, two) = (parsed(*shape, SIZE), parsed(*shape, 2 * SIZE));
        println!("{name}: work {} {}, nodes {} {}, {:?}", one.work(), two.work(), one.len(), two.len(), two.cut());
        assert_eq!([&one, &two].map(|tree| tree.cut().work), [STOPPED.contains(name); 2], "{name} stopped, or did not");
        // At most 2.1 times; a few steps more are none.
        let grows = |one: u64, two: u64| two * 10 > one * 21 + 100;
        if grows(one.work(), two.work()) || grows(one.len() as u64, two.len() as u64) {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn the_names_that_collide_do() {
    let mut names: Vec<String> = (0..1 << 12).map(colliding).collect();
    let hash = |name: &String| name.bytes().fold(0u64, |hash, byte| hash.rotate_left(5) ^ u64::from(byte | 0x20));
    assert!(names.iter().all(|name| hash(name) == hash(&names[0])));
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 1 << 12);
    let mut state = FNV_START;
    for [one, two] in fnv_pairs(4) {
        assert_eq!(fnv(state, one.as_bytes()), fnv(state, two.as_bytes()));
        state = fnv(state, one.as_bytes());
    }
}
