//! Comments, doctypes, CDATA sections and processing instructions.

use std::ops::Range;

use super::{Comment, Content, Doctype, ProcessingInstruction, Sink, Tokenizer};
use crate::arena::SourceRun;
use crate::decode::{Mode, is_space};

impl<S: Sink> Tokenizer<'_, S> {
    /// What starts with `<!` ("markup declaration open state", §13.2.5.42).
    pub(super) fn declaration(&mut self) {
        let start = self.at;
        if self.is_at(start + 2, b"--") {
            self.comment();
        } else if self.is_at(start + 2, b"doctype") {
            self.doctype();
        } else if self.bytes.get(start + 2..start + 9) == Some(b"[CDATA[") && self.sink.allows_cdata() {
            self.cdata();
        } else {
            self.bogus_comment(start, start + 2);
        }
    }

    fn emit_comment(&mut self, span: Range<usize>, data: Range<usize>) {
        let data = self.keep(data, Mode::RAW);
        self.at = span.end;
        self.sink.comment(Comment { data, span });
    }

    /// Everything up to `>` (§13.2.5.41).
    pub(super) fn bogus_comment(&mut self, start: usize, data: usize) {
        let close = self.find(b'>', data);
        self.emit_comment(start..(close + 1).min(self.bytes.len()), data..close);
    }

    /// `<!--` to `-->`, or to what the standard takes for it (§13.2.5.43 to .52).
    fn comment(&mut self) {
        let start = self.at;
        let data = start + 4;
        // "<!-->" and "<!--->" are comments of nothing.
        for abrupt in [&b">"[..], b"->"] {
            if self.is_at(data, abrupt) {
                return self.emit_comment(start..data + abrupt.len(), data..data);
            }
        }
        let mut at = self.find(b'-', data);
        while at < self.bytes.len() {
            for close in [&b"-->"[..], b"--!>"] {
                if self.is_at(at, close) {
                    return self.emit_comment(start..at + close.len(), data..at);
                }
            }
            at = self.find(b'-', at + 1);
        }
        // At the end of the source a close that was begun is no content.
        let end = self.bytes.len();
        let content = self.bytes.get(data..).unwrap_or_default();
        let begun =
            [&b"--!"[..], b"--", b"-"].into_iter().find(|close| content.ends_with(close)).map_or(0, <[u8]>::len);
        self.emit_comment(start..end, data..end - begun);
    }

    /// `<![CDATA[` to `]]>` (§13.2.5.69 to .71).
    fn cdata(&mut self) {
        let data = self.at + 9;
        let mut close = self.find(b']', data);
        while close < self.bytes.len() && !self.is_at(close, b"]]>") {
            close = self.find(b']', close + 1);
        }
        self.emit_text(data, close, Mode::RAW);
        self.at = (close + 3).min(self.bytes.len());
    }

    /// What starts with `<?` (§13.2.5, "processing instruction open state" and what follows it). A `>` ends it always, as
    /// it ended the comment that it used to be.
    pub(super) fn instruction(&mut self) {
        let start = self.at;
        let name = start + 2;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let name_end = self.until(name, |byte| !is_name(byte));
        let target = self.bytes.get(name..name_end).unwrap_or_default();
        let is_name_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let is_begun = target.first().is_none_or(is_name_start);
        let next = self.byte(name_end);
        if is_begun && next.is_none() {
            // The end of the source in an instruction: it is dropped.
            self.at = self.bytes.len();
            return;
        }
        let is_target = target.first().is_some_and(is_name_start)
            && next.is_some_and(|next| is_space(next) || matches!(next, b'?' | b'>'))
            && !target.eq_ignore_ascii_case(b"xml")
            && !target.eq_ignore_ascii_case(b"xml-stylesheet");
        if !is_target {
            return self.bogus_comment(start, start + 1);
        }
        let data = self.skip_space(name_end);
        let close = self.find(b'>', data);
        if close >= self.bytes.len() {
            self.at = close;
            return;
        }
        let is_marked = close > data && self.byte(close - 1) == Some(b'?');
        let data = self.keep(data..close - usize::from(is_marked), Mode::RAW);
        self.at = close + 1;
        self.sink.instruction(ProcessingInstruction { target: name..name_end, data, span: start..close + 1 });
    }

    /// `<!DOCTYPE` to `>` (§13.2.5.53 to .68).
    fn doctype(&mut self) {
        let start = self.at;
        let mut doctype = Doctype { name: None, public: None, system: None, forces_quirks: false, span: start..start };
        let end = self.doctype_parts(start + 9, &mut doctype);
        doctype.forces_quirks |= end.is_none();
        self.at = end.unwrap_or(self.bytes.len());
        doctype.span = start..self.at;
        self.content = Content::Data;
        self.sink.doctype(doctype);
    }

    /// Reads the parts and says where the doctype ends; `None` when the source ends first.
    fn doctype_parts(&mut self, from: usize, doctype: &mut Doctype) -> Option<usize> {
        let name = self.skip_space(from);
        if self.byte(name)? == b'>' {
            doctype.forces_quirks = true;
            return Some(name + 1);
        }
        let name_end = self.until(name, |byte| is_space(byte) || byte == b'>');
        doctype.name = Some(self.keep(name..name_end, Mode::NAME));
        let keyword = self.skip_space(name_end);
        if self.byte(keyword)? == b'>' {
            return Some(keyword + 1);
        }
        let mut at = keyword;
        if self.is_at(keyword, b"public") {
            let public = self.identifier(keyword + 6);
            (doctype.public, at) = (public.run, public.end);
            doctype.forces_quirks |= !public.is_whole;
            let next = self.skip_space(at);
            if public.is_whole && self.byte(next)? != b'>' {
                at = self.system_identifier(next, doctype);
            }
        } else if self.is_at(keyword, b"system") {
            at = self.system_identifier(keyword + 6, doctype);
        } else {
            doctype.forces_quirks = true;
        }
        let rest = self.skip_space(at);
        self.byte(rest)?;
        // What follows the identifiers counts for nothing, nor does it when the source ends in it.
        Some((self.find(b'>', rest) + 1).min(self.bytes.len()))
    }

    /// Reads the system identifier and says where it ends.
    fn system_identifier(&mut self, from: usize, doctype: &mut Doctype) -> usize {
        let system = self.identifier(from);
        doctype.system = system.run;
        doctype.forces_quirks |= !system.is_whole;
        system.end
    }

    /// A quoted identifier after white space. A `>` cuts it short.
    fn identifier(&mut self, from: usize) -> Identifier {
        let start = self.skip_space(from);
        let Some(quote @ (b'"' | b'\'')) = self.byte(start) else {
            return Identifier { run: None, is_whole: false, end: start };
        };
        let end = self.until(start + 1, |byte| byte == quote || byte == b'>');
        let run = Some(self.keep(start + 1..end, Mode::RAW));
        let is_whole = self.byte(end) == Some(quote);
        Identifier { run, is_whole, end: end + usize::from(is_whole) }
    }
}

/// An identifier of a doctype, as far as it goes.
struct Identifier {
    run: Option<SourceRun>,
    is_whole: bool,
    end: usize,
}
