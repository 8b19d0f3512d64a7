//! `completion/complete`: completes ids and paths in resource templates, and arguments of prompts and tools by their
//! name. Words with the typed prefix come first, followed by similar ones.

use std::borrow::Cow;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::address::Address;
use super::prompts;
use super::resource;
use super::resources::{BELOW, GENERAL};
use super::tools::{closed, invalid};
use refdesk_core::selection::Access;
use refdesk_desk::Session;
use refdesk_desk::engine::Snapshot;
use refdesk_templates::VariableKind;
use refdesk_text::escape::one_line;
use refdesk_text::fold::can_match;
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::is_tool;

/// The most characters of the input used.
const TYPED: usize = 256;

/// `completion/complete`.
pub(crate) async fn complete(
    handle: &DeskHandle,
    session: &Session,
    asked: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    if matches!(asked.r#ref, Reference::Prompt(_)) {
        handle.indexed(session).await.ok_or_else(closed)?;
    }
    let (snapshot, access) = handle.readable(session).await.ok_or_else(closed)?;
    let complete = move || {
        let mut words = words(&snapshot, &access, &asked)?;
        // Values are inserted verbatim and cannot be escaped, so those with invisible characters are left out.
        words.retain(|word| matches!(one_line(word), Cow::Borrowed(_)));
        Ok(CompleteResult::new(matching(&asked.argument.value, words)))
    };
    // On a blocking thread, because it reads folders.
    tokio::task::spawn_blocking(complete).await.map_err(|_| closed())?
}

/// All possible values.
fn words(snapshot: &Snapshot, access: &Access, asked: &CompleteRequestParams) -> Result<Vec<String>, ErrorData> {
    let argument = asked.argument.name.as_str();
    match &asked.r#ref {
        Reference::Prompt(of) => {
            if is_tool(&of.name) {
                return Ok(by_name(snapshot, argument));
            }
            let template = prompts::find(&snapshot.templates, &of.name)?;
            let variable = template.variables.iter().find(|variable| variable.name == argument);
            match variable.map(|variable| variable.kind) {
                Some(VariableKind::Flag) => Ok(vec!["true".to_owned(), "false".to_owned()]),
                Some(_) => Ok(by_name(snapshot, argument)),
                None => {
                    let name = one_line(&template.name);
                    Err(invalid(format!("the prompt has no such argument; prompts/list lists those of '{name}'")))
                }
            }
        }
        Reference::Resource(of) => of_template(snapshot, access, &of.uri, asked),
        _ => Err(invalid("only ref/prompt and ref/resource can be completed")),
    }
}

/// Values for an argument by its name: ids, tags or template names.
fn by_name(snapshot: &Snapshot, argument: &str) -> Vec<String> {
    let plain: String = argument.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match plain.as_str() {
        "id" | "ids" | "source" | "sourceid" | "reference" | "referenceid" => ids(snapshot),
        "tag" | "tags" | "filtertags" => tags(snapshot),
        "template" | "templatename" => {
            snapshot.templates.of_selection().map(|template| template.name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Ids, selected ones first, without missing and excluded sources.
fn ids(snapshot: &Snapshot) -> Vec<String> {
    let selection = &snapshot.selection;
    let known = snapshot.catalog.sources().iter();
    let open = known.filter(|source| !source.is_missing() && !selection.is_excluded(source.id.as_str()));
    let (mut selected, others): (Vec<_>, Vec<_>) = open.partition(|source| selection.contains(source.id.as_str()));
    selected.extend(others);
    selected.into_iter().map(|source| source.id.to_string()).collect()
}

fn tags(snapshot: &Snapshot) -> Vec<String> {
    let all = snapshot.catalog.sources().iter().flat_map(|source| &source.tags);
    let mut tags: Vec<String> = all.filter(|tag| can_match(tag)).map(|tag| tag.trim().to_owned()).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

fn of_template(
    snapshot: &Snapshot,
    access: &Access,
    template: &str,
    asked: &CompleteRequestParams,
) -> Result<Vec<String>, ErrorData> {
    let refuse = |message: &str| Err(invalid(message));
    let [of_source, of_file] = GENERAL;
    let own = template.strip_suffix(BELOW).filter(|_| template != of_file).map(Address::parse);
    if template != of_source && template != of_file && !matches!(own, Some(Ok(_))) {
        return refuse("this is not a resource template of resources/templates/list");
    }
    match (asked.argument.name.as_str(), own) {
        ("id", None) if template == of_file => {
            let on_list = resource::folders(snapshot, access);
            Ok(on_list.map(|source| source.id.to_string()).collect())
        }
        ("id", None) => Ok(ids(snapshot)),
        ("path", Some(Ok(folder))) => Ok(resource::files_of(snapshot, access, &folder.id)),
        ("path", _) if template == of_file => {
            let arguments = asked.context.as_ref().and_then(|context| context.arguments.as_ref());
            match arguments.and_then(|arguments| arguments.get("id")) {
                Some(id) => Ok(resource::files_of(snapshot, access, id)),
                None => refuse("the id is missing; give it in context.arguments"),
            }
        }
        _ => refuse("the resource template has no such argument"),
    }
}

/// Words with the typed prefix, followed by similar ones, most similar first.
fn matching(typed: &str, words: Vec<String>) -> CompletionInfo {
    let typed: String = typed.chars().take(TYPED).collect();
    let begin = typed.to_lowercase();
    let (mut found, others): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| word.to_lowercase().starts_with(&begin));
    let atom = Atom::new(&typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
    let (mut matcher, mut buffer) = (Matcher::new(Config::DEFAULT), Vec::new());
    let mut like: Vec<(u16, String)> = others
        .into_iter()
        .filter_map(|word| Some((atom.score(Utf32Str::new(&word, &mut buffer), &mut matcher)?, word)))
        .collect();
    like.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.extend(like.into_iter().map(|(_, word)| word));
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(found, Some(total), has_more).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_the_prefix_come_first_then_similar_ones() {
        let words = || ["my-retry", "pat-timeout", "Pat-Retry", "retry-policy", "x"].map(str::to_owned).to_vec();
        for (typed, expected) in [
            ("pat", &["pat-timeout", "Pat-Retry"][..]),
            ("retry", &["retry-policy", "my-retry", "Pat-Retry"]),
            ("ptr", &["Pat-Retry"]),
            ("", &["my-retry", "pat-timeout", "Pat-Retry", "retry-policy", "x"]),
            ("nothing like it", &[]),
        ] {
            let found = matching(typed, words());
            let shown: Vec<&str> = found.values.iter().map(String::as_str).collect();
            if typed == "pat" {
                assert_eq!(&shown[..2], expected, "{typed}");
            } else if typed == "ptr" {
                assert!(shown.contains(&"Pat-Retry"), "{shown:?}");
            } else {
                assert_eq!(shown, expected, "{typed}");
            }
        }
    }

    #[test]
    fn at_most_a_hundred_values_with_the_total() {
        let found = matching("s", (0..250).map(|at| format!("source-{at}")).collect());
        assert_eq!((found.values.len(), found.total, found.has_more), (100, Some(250), Some(true)));
        let found = matching(&"😀".repeat(100_000), vec!["a".to_owned()]);
        assert_eq!((found.values.len(), found.total, found.has_more), (0, Some(0), Some(false)));
    }
}
