//! `refdesk replay`: prints the exact bytes of a journal line.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::journal::unreadable;
use refdesk_desk::Desk;
use refdesk_files::name::sha256_hex;
use refdesk_text::{Code, Error};

pub fn run(desk: &Desk, n: u64) -> CommandOutput {
    let refused = |code, message: String| {
        let refusal = Error::new(code, message, "`refdesk journal` lists the lines");
        CommandOutput::refused(refusal)
    };
    let line = match desk.line(n) {
        Ok(Some(line)) => line,
        Ok(None) => return refused(Code::UnknownLine, format!("the journal has no line {n}, or it was rotated out")),
        Err(error) => return unreadable(&error),
    };
    let Some(text) = line.receipt.text else {
        let what = line.receipt.what.word();
        // A line about a file has its hash.
        let of_files = if line.receipt.hash.is_some() { ", but only the hash of files" } else { "" };
        return refused(
            Code::NoBytes,
            format!(
                "line {n} of the journal ({what}) has no text: the journal stores the texts that agents were sent{of_files}"
            ),
        );
    };
    let is_whole = line.receipt.hash.as_deref() == Some(&sha256_hex(text.as_bytes()));
    let answer = CommandOutput::new(to_json(n, Some(&text), line.receipt.hash.as_deref(), is_whole), text);
    if is_whole {
        return answer;
    }
    let message = format!("line {n} of the journal was changed: its text does not match its hash");
    answer.with_failures(vec![Error::new(Code::ChangedLine, message, "the file was edited after refdesk wrote it")])
}

pub fn to_json(n: u64, text: Option<&str>, hash: Option<&str>, is_whole: bool) -> Value {
    json!({"n": n, "text": text, "hash": hash, "ok": is_whole})
}
