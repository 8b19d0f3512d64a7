//! Asks at the terminal, with a numbered list and a line of input. The listed texts are untrusted and are escaped. The
//! list goes to standard error, since standard output carries the command's output.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};

use super::{Channel, ChannelAnswer, NoAnswer, Request, Wait};
use refdesk_text::Code;
use refdesk_text::escape::one_line;
use refdesk_text::shorten::shortened;

/// The maximum length of a line in bytes; ten thousand numbers fit.
const LINE: u64 = 64 * 1024;

/// The most characters of a description shown.
const DESCRIBED: usize = 160;

/// The terminal of this process: standard input and standard error.
#[derive(Debug)]
pub(super) struct Console;

impl Channel for Console {
    fn ask(&self, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
        if request.approval.is_some() {
            return Err(NoAnswer::only_on_a_screen());
        }
        ask_until_valid(request, wait, &lines(), &mut io::stderr().lock())
    }
}

/// The lines the user types; `None` at the end of input. A read cannot be cancelled, so its thread lives until the
/// program exits.
fn lines() -> Receiver<io::Result<Option<String>>> {
    let (sender, receiver) = sync_channel(0);
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = io::stdin().lock().take(LINE).read_until(b'\n', &mut line);
            let typed = match read {
                // The limit may have split a number.
                Ok(read) if read as u64 == LINE && !line.ends_with(b"\n") => {
                    Err(io::Error::new(io::ErrorKind::InvalidData, format!("the line has more than {LINE} bytes")))
                }
                read => read.map(|read| (read > 0).then(|| String::from_utf8_lossy(&line).into_owned())),
            };
            let is_last = !matches!(typed, Ok(Some(_)));
            if sender.send(typed).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// Lists the sources and asks until a line is valid. End of input counts as an empty line: nothing is selected.
fn ask_until_valid(
    request: &Request,
    wait: &Wait,
    typed: &Receiver<io::Result<Option<String>>>,
    out: &mut dyn Write,
) -> Result<ChannelAnswer, NoAnswer> {
    let broken = |error: io::Error| {
        NoAnswer::failed(Code::NoTerminal, format!("the terminal cannot be used: {error}"), "use another terminal")
    };
    let mut say = |text: &str| out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(broken);
    say(&listed(request))?;
    let prompt = "Which ones? Numbers such as 1,3,4 or 2-5, `all` or `none`; an empty line means none: ";
    say(prompt)?;
    loop {
        let line = match typed.recv_timeout(wait.check_interval()) {
            Ok(line) => line.map_err(broken)?.unwrap_or_default(),
            Err(RecvTimeoutError::Timeout) if wait.is_cancelled() => return end(&mut say, NoAnswer::Cancelled),
            Err(RecvTimeoutError::Timeout) if wait.left().is_zero() => return end(&mut say, NoAnswer::TimedOut),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => String::new(),
        };
        match parse(&line, request.sources.len()) {
            Ok(numbers) => {
                let chosen = numbers.iter().filter_map(|number| request.sources.get(number - 1));
                let selected = chosen.map(|source| source.id.clone()).collect();
                return Ok(ChannelAnswer { selected, by: Some("the terminal".to_owned()), ..ChannelAnswer::default() });
            }
            Err(why) => say(&format!("{why}\n{prompt}"))?,
        }
    }
}

/// Ends the prompt's line, on which the cursor still is.
fn end(say: &mut dyn FnMut(&str) -> Result<(), NoAnswer>, why: NoAnswer) -> Result<ChannelAnswer, NoAnswer> {
    say("\n")?;
    Err(why)
}

fn listed(request: &Request) -> String {
    let mut text = String::new();
    if !request.context.is_empty() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{}", one_line(&request.context));
    }
    let width = request.sources.len().to_string().len();
    for (at, source) in request.sources.iter().enumerate() {
        let _ = write!(text, "{:>width$}  @{}  {}", at + 1, one_line(&source.id), one_line(&source.name));
        if !source.tags.is_empty() {
            let _ = write!(text, "  ({})", one_line(&source.tags.join(", ")));
        }
        text.push_str(if source.is_untrusted { "  waits for trust\n" } else { "\n" });
        if !source.description.is_empty() {
            let description = shortened(source.description.clone(), DESCRIBED);
            let _ = writeln!(text, "{:width$}  {}", "", one_line(&description));
        }
    }
    text
}

/// Parses a line of numbers from 1 to `count`; returns each once, in the order of the line.
///
/// # Errors
/// What is wrong with the line, in one sentence.
fn parse(line: &str, count: usize) -> Result<Vec<usize>, String> {
    let line = line.trim();
    match line.to_lowercase().as_str() {
        "" | "none" => return Ok(Vec::new()),
        "all" => return Ok((1..=count).collect()),
        _ => {}
    }
    let (mut numbers, mut seen) = (Vec::new(), BTreeSet::new());
    for part in line.split(',').map(str::trim) {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first.trim(), count)?, number(last.trim(), count)?),
            None => {
                let only = number(part, count)?;
                (only, only)
            }
        };
        if first > last {
            return Err(format!("The range '{}' is reversed; write {last}-{first}.", one_line(part)));
        }
        numbers.extend((first..=last).filter(|number| seen.insert(*number)));
    }
    Ok(numbers)
}

fn number(text: &str, count: usize) -> Result<usize, String> {
    if text.is_empty() {
        return Err("A number is missing.".to_owned());
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_number && (1..=count).contains(&number) => Ok(number),
        _ if is_number => Err(format!("There is no {}: the numbers go from 1 to {count}.", super::answer::shown(text))),
        _ => Err(format!("'{}' is not a number.", super::answer::shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::raise::tests::asking;
    use super::*;

    #[test]
    fn a_line_of_numbers_is_parsed() {
        for (line, expected) in [
            ("1,3,4", Ok(vec![1, 3, 4])),
            (" 4 , 1\n", Ok(vec![4, 1])),
            ("2-5", Ok(vec![2, 3, 4, 5])),
            ("2 - 3,1", Ok(vec![2, 3, 1])),
            ("3-3,1-4", Ok(vec![3, 1, 2, 4])),
            ("01", Ok(vec![1])),
            ("all", Ok(vec![1, 2, 3, 4, 5])),
            ("ALL \r\n", Ok(vec![1, 2, 3, 4, 5])),
            ("none", Ok(vec![])),
            ("", Ok(vec![])),
            (" \t\n", Ok(vec![])),
            ("0", Err("There is no 0: the numbers go from 1 to 5.")),
            ("6", Err("There is no 6: the numbers go from 1 to 5.")),
            ("1-6", Err("There is no 6: the numbers go from 1 to 5.")),
            ("99999999999999999999", Err("There is no 99999999999999999999: the numbers go from 1 to 5.")),
            ("4-2", Err("The range '4-2' is reversed; write 2-4.")),
            ("1,,2", Err("A number is missing.")),
            ("1,", Err("A number is missing.")),
            ("-2", Err("A number is missing.")),
            ("2-", Err("A number is missing.")),
            ("1-2-3", Err("'2-3' is not a number.")),
            ("1 2", Err("'1 2' is not a number.")),
            ("+1", Err("'+1' is not a number.")),
            ("1,all", Err("'all' is not a number.")),
            ("\u{661}", Err("'\u{661}' is not a number.")),
            ("\x1b[A", Err("'\\x1b[A' is not a number.")),
        ] {
            assert_eq!(parse(line, 5), expected.map_err(str::to_owned), "{line:?}");
        }
        assert_eq!(parse("all", 0), Ok(vec![]));
        assert!(parse("1", 0).is_err());
    }

    fn conversation(request: &Request, typed: &[&str], wait: &Wait) -> (Result<ChannelAnswer, NoAnswer>, String) {
        let (sender, receiver) = channel();
        typed.iter().for_each(|line| sender.send(Ok(Some((*line).to_owned()))).unwrap());
        // A terminal without input stays open.
        let open = typed.is_empty().then_some(sender);
        let mut out = Vec::new();
        let end = ask_until_valid(request, wait, &receiver, &mut out);
        drop(open);
        (end, String::from_utf8(out).unwrap())
    }

    #[test]
    fn an_invalid_line_is_explained_and_asked_again() {
        let request = asking("r", &["a", "b", "c"]);
        let (end, shown) = conversation(&request, &["5\n", "x\n", "3,1\n"], &Wait::seconds(60.0));
        assert_eq!(end.unwrap().selected, ["c", "a"]);
        assert!(shown.contains("There is no 5") && shown.contains("'x' is not a number"), "{shown}");
        assert_eq!(shown.matches("Which ones?").count(), 3);
    }

    #[test]
    fn end_of_input_selects_nothing_and_a_timeout_is_an_error() {
        let request = asking("r", &["a"]);
        let (end, _) = conversation(&request, &["wrong\n"], &Wait::seconds(60.0));
        assert_eq!(end.map(|answered| answered.selected), Ok(vec![]));
        let (end, shown) = conversation(&request, &[], &Wait::seconds(0.0));
        assert_eq!(end, Err(NoAnswer::TimedOut));
        assert!(shown.ends_with('\n'), "{shown:?}");
        let cancelled = Wait::seconds(60.0);
        cancelled.cancel();
        assert_eq!(conversation(&request, &[], &cancelled).0, Err(NoAnswer::Cancelled));
    }

    #[test]
    fn an_untrusted_source_is_marked() {
        let mut request = asking("r", &["a", "b"]);
        request.sources[1].is_untrusted = true;
        assert_eq!(listed(&request), "why\n1  @a  Name of a\n2  @b  Name of b  waits for trust\n");
    }

    #[test]
    fn listed_text_cannot_move_the_cursor() {
        let mut request = asking("r", &["a\x1b[2J"]);
        request.context = "why\r\x1b[1A".to_owned();
        request.sources[0].name = "Name\nof".to_owned();
        request.sources[0].tags = vec!["\u{202e}tag".to_owned()];
        request.sources[0].description = "d".repeat(500);
        let shown = listed(&request);
        assert_eq!(shown.lines().count(), 3, "{shown}");
        assert!(!shown.contains(['\x1b', '\r', '\u{202e}']) && shown.len() < 400, "{shown}");
    }
}
