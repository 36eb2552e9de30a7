//! Base64 (RFC 4648, section 4), read only.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes; `None` for a character or a length that Base64 does not have. Padding may be left out.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes().chunks(4) {
        if group.len() == 1 {
            return None;
        }
        let mut bits = 0_u32;
        for position in 0..4 {
            let character = group.get(position).copied().unwrap_or(b'A');
            let value = ALPHABET.iter().position(|known| *known == character)?;
            bits = (bits << 6) | u32::try_from(value).ok()?;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// RFC 4648, section 10.
    #[test]
    fn the_vectors_of_the_rfc() {
        let vectors = [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ];
        for (encoded, plain) in vectors {
            assert_eq!(decode(encoded).as_deref(), Some(plain.as_bytes()), "{encoded}");
        }
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Z*=="), None);
    }
}
