//! AVIF: the size among the item properties (ISO/IEC 23008-12 §§6.5.3, 6.5.10; boxes of ISO/IEC 14496-12 §4.2).

/// Boxes read of one container.
const MOST_BOXES: usize = 64;

/// A box: its type and content.
type Box<'b> = (&'b [u8; 4], &'b [u8]);

/// Width and height as shown: the largest picture's, since a thumbnail, a tile and an alpha plane are no larger.
///
/// `None` for a picture that is cropped: what remains of it then depends on more than its size.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    // A full box: its version and flags come before its boxes.
    let meta = child(bytes, b"meta")?.get(4..)?;
    let properties = child(child(meta, b"iprp")?, b"ipco")?;
    if child(properties, b"clap").is_some() {
        return None;
    }
    let (width, height) = boxes(properties)
        .filter(|(name, _)| *name == b"ispe")
        .filter_map(|(_, content)| {
            let (width, rest) = content.get(4..)?.split_first_chunk()?;
            Some((u32::from_be_bytes(*width), u32::from_be_bytes(*rest.first_chunk()?)))
        })
        .max_by_key(|(width, height)| u64::from(*width) * u64::from(*height))?;
    // Quarter turns against the clock, in two bits.
    let turns = child(properties, b"irot").and_then(<[u8]>::first).map_or(0, |turns| turns & 3);
    Some(if turns % 2 == 1 { (height, width) } else { (width, height) })
}

fn child<'b>(container: &'b [u8], name: &[u8; 4]) -> Option<&'b [u8]> {
    boxes(container).find(|(found, _)| *found == name).map(|(_, content)| content)
}

/// The boxes of a container, the last one as far as it came; none after one whose length can't be.
fn boxes(container: &[u8]) -> impl Iterator<Item = Box<'_>> {
    let mut rest = container;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (name, content) = after.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        // 0 stands for "to the end". 1 stands for a length of 64 bits, which no box with properties needs.
        let content = match length {
            0 => content,
            _ => content.get(..length.checked_sub(8)?).unwrap_or(content),
        };
        rest = rest.get(8 + content.len()..).unwrap_or_default();
        Some((name, content))
    })
    .take(MOST_BOXES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 8).unwrap().to_be_bytes();
        [&length[..], name, content].concat()
    }

    fn extent(width: u32, height: u32) -> Vec<u8> {
        boxed(b"ispe", &[&[0; 4][..], &width.to_be_bytes(), &height.to_be_bytes()].concat())
    }

    fn file(properties: &[Vec<u8>]) -> Vec<u8> {
        let iprp = boxed(b"iprp", &boxed(b"ipco", &properties.concat()));
        let meta = boxed(b"meta", &[&[0; 4][..], &boxed(b"hdlr", b"pict"), &iprp].concat());
        [boxed(b"ftyp", b"avif\0\0\0\0"), meta, boxed(b"mdat", b"x")].concat()
    }

    #[test]
    fn the_largest_picture_counts_and_turns_as_it_is_shown() {
        assert_eq!(size(&file(&[extent(640, 480)])), Some((640, 480)));
        assert_eq!(size(&file(&[extent(64, 48), boxed(b"pixi", b"abc"), extent(640, 480)])), Some((640, 480)));
        assert_eq!(size(&file(&[extent(640, 480), boxed(b"irot", &[3])])), Some((480, 640)));
        assert_eq!(size(&file(&[extent(640, 480), boxed(b"irot", &[2])])), Some((640, 480)));
        assert_eq!(size(&file(&[extent(640, 480), boxed(b"clap", &[0; 32])])), None);
    }

    #[test]
    fn boxes_that_lie_or_end_early_have_no_size() {
        let whole = file(&[extent(640, 480)]);
        for end in 0..whole.len() - boxed(b"mdat", b"x").len() {
            assert_eq!(size(&whole[..end]), None, "{end}");
        }
        for length in [1u8, 2, 7] {
            assert_eq!(size(&[&[0, 0, 0, length][..], b"ftyp", &whole].concat()), None);
        }
        assert_eq!(size(&vec![0; 70_000]), None);
    }
}
