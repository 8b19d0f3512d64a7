//! Reads lines from standard input on a separate thread, because a read cannot be interrupted and a signal must not
//! wait for it.

use std::io::{self, BufRead};
use std::thread;

use tokio::sync::mpsc;

/// The maximum length of an accepted line, in bytes.
pub const LONGEST: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedLine {
    /// Without its line break. Invalid UTF-8 is replaced.
    Text(String),
    /// Longer than [`LONGEST`].
    TooLong,
}

/// The lines of standard input, or why it cannot be read. One line is read ahead; the end of the input closes the
/// channel.
///
/// # Errors
/// The system cannot start a thread.
pub fn read() -> io::Result<mpsc::Receiver<io::Result<TypedLine>>> {
    let (lines, taken) = mpsc::channel(1);
    thread::Builder::new().name("lines".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = next(&mut input).transpose() {
            let is_last = line.is_err();
            if lines.blocking_send(line).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(taken)
}

/// The next line; `None` at the end of the input.
fn next(input: &mut impl BufRead) -> io::Result<Option<TypedLine>> {
    let mut line = Vec::new();
    let (mut is_begun, mut is_too_long) = (false, false);
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        let is_last = end.is_some() || buffer.is_empty();
        is_begun |= !buffer.is_empty();
        if line.len() + part.len() > LONGEST {
            is_too_long = true;
            line.clear();
        } else if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if is_last {
            break;
        }
    }
    if !is_begun {
        return Ok(None);
    }
    if is_too_long {
        return Ok(Some(TypedLine::TooLong));
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(TypedLine::Text(text.strip_suffix('\r').unwrap_or(&text).to_owned())))
}

/// Whether the terminal was closed.
pub fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<TypedLine> {
        let mut input = io::BufReader::with_capacity(7, input);
        std::iter::from_fn(|| next(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_end_at_breaks_and_at_the_end() {
        let text = |text: &str| TypedLine::Text(text.to_owned());
        for (input, lines) in [
            (&b""[..], vec![]),
            (b"\n", vec![text("")]),
            (b"a", vec![text("a")]),
            (b"a\r\n\nlonger than the buffer\nc", vec![text("a"), text(""), text("longer than the buffer"), text("c")]),
            (b"caf\xe9\n", vec![text("caf\u{fffd}")]),
        ] {
            assert_eq!(all(input), lines, "{input:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let mut input = vec![b'x'; LONGEST];
        assert_eq!(all(&input).len(), 1);
        input.extend_from_slice(b"y\nafter\n");
        assert_eq!(all(&input), [TypedLine::TooLong, TypedLine::Text("after".to_owned())]);
    }
}
