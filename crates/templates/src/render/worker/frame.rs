//! Frames on a pipe: a length as four bytes, little-endian, then that many bytes. The reader sets the maximum length
//! and allocates nothing for a longer frame.

use std::io::{self, Read};

pub(crate) fn append(frame: &mut Vec<u8>, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(bytes);
    Ok(())
}

/// The next frame; the end of the pipe is an error.
pub(super) fn receive(from: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        let mut pipe = Vec::new();
        for piece in ["", "a", "\n\0é"] {
            append(&mut pipe, piece.as_bytes()).unwrap();
        }
        let mut from = pipe.as_slice();
        assert_eq!(receive(&mut from, 0).unwrap(), b"");
        assert_eq!(receive(&mut from, 1).unwrap(), b"a");
        assert_eq!(receive(&mut from, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(receive(&mut &pipe[..2], 3).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
