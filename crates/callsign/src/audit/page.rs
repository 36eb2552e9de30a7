//! Takes a finding's page out of its source file while the crate is compiled, so that the comment a maintainer reads and
//! the page a user reads are one text.

/// The leading `//!` lines of `source` without their marker, cut to `N` bytes, and how long they are as a whole.
///
/// Called with `N` = 0 to measure and again to copy. A comment's text begins after `//!` and at most one space.
pub(super) const fn doc_comment<const N: usize>(source: &[u8]) -> ([u8; N], usize) {
    let mut page = [0; N];
    let (mut read, mut written) = (0, 0);
    while begins_doc_line(source, read) {
        read += 3;
        if read < source.len() && source[read] == b' ' {
            read += 1;
        }
        loop {
            let byte = if read < source.len() { source[read] } else { b'\n' };
            read += 1;
            // A checkout may have carriage returns; the page has none.
            if byte != b'\r' {
                if written < N {
                    page[written] = byte;
                }
                written += 1;
            }
            if byte == b'\n' {
                break;
            }
        }
    }
    (page, written)
}

const fn begins_doc_line(source: &[u8], at: usize) -> bool {
    at + 2 < source.len() && source[at] == b'/' && source[at + 1] == b'/' && source[at + 2] == b'!'
}

/// The page as text. A source file is UTF-8, or it would not have compiled.
pub(super) const fn text(page: &'static [u8]) -> &'static str {
    match std::str::from_utf8(page) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::doc_comment;

    #[test]
    fn markers_and_carriage_returns_go_and_code_is_not_taken() {
        const SOURCE: &[u8] = "//! # Ä\r\n//!\n//!  x\nuse y;\n//! z\n".as_bytes();
        const LENGTH: usize = doc_comment::<0>(SOURCE).1;
        assert_eq!(std::str::from_utf8(&doc_comment::<LENGTH>(SOURCE).0).unwrap(), "# Ä\n\n x\n");
    }
}
