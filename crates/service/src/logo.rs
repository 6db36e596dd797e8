//! The operator's logo, which printed reports have instead of ours.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;

/// Bytes of a logo at most. Chosen: a picture 1,000 pixels wide fits, and it is sent with each printed report.
const MOST_BYTES: u64 = 256 * 1024;

/// A picture that browsers show.
#[derive(Debug, Clone)]
pub struct Logo {
    /// The file.
    pub bytes: Bytes,
    /// By its first bytes; the name of the file is ignored.
    pub media_type: &'static str,
}

impl Logo {
    /// Reads the file. Fails if it can't be read, is longer than 256 KiB, or is not a PNG, JPEG or WebP. SVG is refused because
    /// it can contain scripts.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        let file = File::open(path).with_context(|| format!("{} can't be opened", path.display()))?;
        file.take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} can't be read", path.display()))?;
        if bytes.len() as u64 > MOST_BYTES {
            bail!("{} is larger than 256 KB", path.display());
        }
        let Some(media_type) = media_type(&bytes) else { bail!("{} is no PNG, JPEG or WebP", path.display()) };
        Ok(Self { bytes: bytes.into(), media_type })
    }
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_pictures_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logo");
        assert!(Logo::read(&path).is_err());
        for (content, is_taken) in [
            (&b"\x89PNG\r\n\x1a\n"[..], true),
            (b"\xff\xd8\xff\xe0", true),
            (b"RIFF\0\0\0\0WEBP", true),
            (b"<svg onload=alert(1)>", false),
            (b"", false),
        ] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(Logo::read(&path).is_ok(), is_taken, "{content:?}");
        }
        std::fs::write(&path, [&b"\x89PNG"[..], &vec![0; 256 * 1024]].concat()).unwrap();
        assert!(Logo::read(&path).unwrap_err().to_string().ends_with("is larger than 256 KB"));
    }
}
