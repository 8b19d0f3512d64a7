//! A text from the command line or standard input, with its options: its kind, and the tool that returned it.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Read};

use serde_json::Value;

use super::answer::CommandOutput;
use super::args::{KindName, TextArgs};
use super::output::print_to_stderr;
use super::tool_name;
use refdesk_enrich::{Budget, EnrichRequest, TextKind, Tool};
use refdesk_text::{Code, Error};

/// Reads standard input up to `limit` bytes; the flag tells whether there are more.
pub fn read_stdin(limit: u64) -> io::Result<(Vec<u8>, bool)> {
    if io::stdin().is_terminal() {
        print_to_stderr("note: type the text; Ctrl-D on an empty line ends it");
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let more = bytes.len() as u64 > limit;
    Ok((bytes, more))
}

pub struct TextInput<'a> {
    pub bytes: Vec<u8>,
    kind: TextKind,
    tool: Option<Cow<'a, str>>,
    arguments: Option<Value>,
}

impl<'a> TextInput<'a> {
    /// Takes the words of the command line, or reads standard input to its end if there are none.
    ///
    /// # Errors
    /// The tool's arguments are not a JSON object, or standard input cannot be read.
    pub fn read(args: &'a TextArgs) -> Result<Self, CommandOutput> {
        let arguments = match args.args.as_deref().map(serde_json::from_str::<Value>) {
            None => None,
            Some(Ok(arguments @ Value::Object(_))) => Some(arguments),
            Some(_) => {
                let hint = "for example --args '{\"path\": \"docs/a.md\"}'";
                return Err(CommandOutput::usage("--args must be a JSON object", hint));
            }
        };
        let bytes = if args.words.is_empty() {
            let read = read_stdin(u64::MAX).map_err(|error| {
                let message = format!("standard input cannot be read: {error}");
                let fix = "give the text as an argument or on standard input";
                CommandOutput::refused(Error::new(Code::NoInput, message, fix))
            });
            read?.0
        } else {
            args.words.join(" ").into_bytes()
        };
        let is_of_tool = args.tool.is_some() || args.args.is_some();
        let kind = match args.kind {
            None if is_of_tool => TextKind::ToolResult,
            None | Some(KindName::Prompt) => TextKind::Prompt,
            Some(KindName::ToolResult) => TextKind::ToolResult,
            Some(KindName::SystemInstructions) => TextKind::SystemInstructions,
        };
        let tool = tool_name::canonical(
            args.tool.as_deref(),
            arguments.as_ref().unwrap_or(&Value::Null),
            &String::from_utf8_lossy(&bytes),
        );
        let arguments = arguments.map(|given| tool_name::normalized(tool.as_deref(), &given).into_owned());
        Ok(Self { bytes, kind, tool, arguments })
    }

    pub fn enrich_request<'t>(&'t self, text: &'t str, repeat: bool, budget: Budget) -> EnrichRequest<'t> {
        let tool = self.arguments.as_ref().map(|arguments| Tool { name: self.tool.as_deref(), arguments, cwd: None });
        EnrichRequest { tool, repeat, budget, ..EnrichRequest::new(self.kind, text) }
    }
}
