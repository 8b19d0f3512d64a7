//! Prompts that a developer might type about a source, made from its name and its tags.

use super::tags::{document_number, without_number};
use refdesk_text::words::is_listed;

/// Verbs that begin a title that names a task.
const VERBS: &str = "add adopt avoid build change choose configure connect create debug define deploy design enable extend \
                     format generate handle implement install keep manage migrate monitor move publish record release remove \
                     replace review run secure send set split start store test update upgrade use validate write";

/// Words that begin a question.
const QUESTIONS: [&str; 7] = ["how", "what", "when", "where", "which", "who", "why"];

/// Verbs that make a title a sentence.
const FINITE: [&str; 9] = ["are", "can", "has", "have", "is", "must", "should", "was", "will"];

/// Words that make a title part of a sentence if it begins or ends with one.
const PREPOSITIONS: &str = "about across after against all an and as at before behind below between beyond by every for from \
                            if in inside into more my no not of on only or other our outside over some than that this to \
                            toward under until up upon via with within without your";

/// Words for kinds of documents, which no one asks about.
const DOCUMENTS: &str = "appendix acknowledgements book changelog changes cheatsheet conduct contributing contributors cookbook document \
                         documentation examples faq glossary guide guidelines handbook history index install installation \
                         introduction license list manual notes overview page preface quickstart readme reference resources \
                         roadmap sample specification started summary terminology tutorial tutorials welcome";

/// Endings of singular words that look like a plural.
const SINGULAR: [&str; 4] = ["ss", "us", "is", "js"];

/// The most words of a subject; longer titles are often sentences.
const WORDS: usize = 3;

/// The most characters of a subject.
const LENGTH: usize = 60;

/// A prompt about a document, if its title is a question, a task, or a noun.
pub fn title_prompt(name: &str) -> Option<String> {
    let subject = subject(name);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '/' | '\'' | '’');
    if name.starts_with('-') || subject.chars().count() > LENGTH || !subject.chars().all(is_word) {
        return None;
    }
    let words: Vec<String> = subject.split_whitespace().map(as_typed).collect();
    let (first, rest) = words.split_first()?;
    let text = words.join(" ");
    if !rest.is_empty() && name.trim().ends_with('?') && QUESTIONS.contains(&first.as_str()) {
        return Some(format!("{text}?"));
    }
    if let Some(task) = ["how to ", "how do i "].iter().find_map(|start| text.strip_prefix(start)) {
        return Some(format!("how do I {task}?"));
    }
    // In "design of the bucket", the word is a noun.
    if is_listed(VERBS, first) && rest.first().is_some_and(|next| next != "of") {
        return Some(format!("how do I {text}?"));
    }
    if first.len() > 5 && first.ends_with("ing") && !rest.is_empty() {
        return Some(format!("I need help with {text}"));
    }
    noun_prompt(&words)
}

/// A question about how the named thing works.
fn noun_prompt(words: &[String]) -> Option<String> {
    let words = match words.split_first() {
        Some((first, rest)) if ["a", "an", "the"].contains(&first.as_str()) => rest,
        _ => words,
    };
    let (first, last) = (words.first()?, words.last()?);
    let is_sentence = words.iter().any(|word| FINITE.contains(&word.as_str()));
    let is_part =
        is_listed(PREPOSITIONS, first) || is_listed(PREPOSITIONS, last) || QUESTIONS.contains(&first.as_str());
    let is_name = first.chars().any(char::is_alphabetic);
    if words.len() > WORDS || is_sentence || is_part || !is_name || is_listed(DOCUMENTS, &last.to_lowercase()) {
        return None;
    }
    let text = words.join(" ");
    if words.len() == 1 {
        return Some(format!("what do our documents say about {text}?"));
    }
    // A preposition begins a phrase that qualifies the noun before it.
    let noun = words.iter().take_while(|word| !is_listed(PREPOSITIONS, word)).last()?;
    let is_qualified = words.iter().any(|word| word != "of" && is_listed(PREPOSITIONS, word));
    let is_plural = noun.ends_with('s') && !SINGULAR.iter().any(|end| noun.ends_with(end));
    // "Handling", but not "string".
    let is_activity = noun.len() > 6 && noun.ends_with("ing");
    Some(match (is_plural, !is_qualified && !is_activity) {
        (true, _) => format!("how do {text} work?"),
        (false, true) => format!("how does the {text} work?"),
        (false, false) => format!("how does {text} work?"),
    })
}

/// A question about a tag.
pub fn tag_prompt(tag: &str) -> String {
    format!("what do our documents say about {tag}?")
}

/// A title without its number and final punctuation.
fn subject(name: &str) -> String {
    let bare = name.trim().trim_end_matches(['.', ':', '!', '?']);
    if document_number(bare).is_none() {
        return without_number(bare).to_owned();
    }
    let bare = bare.trim_start_matches(|c: char| c.is_uppercase() || c == '-');
    let numbered = bare.trim_start_matches(|c: char| {
        c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '.' | ':' | '–' | '—')
    });
    if numbered.is_empty() { bare.to_owned() } else { numbered.to_owned() }
}

/// A word as people type it: in lower case, unless letters after the first are capitals.
fn as_typed(word: &str) -> String {
    let is_plain = !word.chars().skip(1).any(char::is_uppercase) && word.chars().count() > 1;
    if is_plain || word == "A" { word.to_lowercase() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_sound_like_questions() {
        for (name, expected) in [
            ("0003. Use Kafka", Some("how do I use kafka?")),
            ("3) Use Kafka", Some("how do I use kafka?")),
            ("1.2 – Retry policy", Some("how does the retry policy work?")),
            ("2FA setup", Some("how does the 2FA setup work?")),
            ("ADR 7: Kafka for events", Some("how does kafka for events work?")),
            ("ADR-007: Retry policy", Some("how does the retry policy work?")),
            ("Writing tests", Some("I need help with writing tests")),
            ("How to deploy the shop", Some("how do I deploy the shop?")),
            ("Why use a Client?", Some("why use a client?")),
            ("What are sagas?", Some("what are sagas?")),
            ("Event Hooks", Some("how do event hooks work?")),
            ("Authentication", Some("what do our documents say about authentication?")),
            ("Metrics", Some("what do our documents say about metrics?")),
            ("Lasagne", Some("what do our documents say about lasagne?")),
            ("Design of the bucket", None),
            ("Error handling", Some("how does error handling work?")),
            ("Query string", Some("how does the query string work?")),
            ("Release of tokens", Some("how does the release of tokens work?")),
            ("1. Record architecture decisions", Some("how do I record architecture decisions?")),
            ("MathJax support", Some("how does the MathJax support work?")),
            ("HTTP/2", Some("what do our documents say about HTTP/2?")),
            ("mdBook", Some("what do our documents say about mdBook?")),
            ("The init command", Some("how does the init command work?")),
            ("For developers", None),
            ("In production", None),
            ("Things to", None),
            ("The guide", None),
            ("QuickStart", None),
            ("Code of Conduct", None),
            ("Getting started", Some("I need help with getting started")),
            ("Requests Compatibility Guide", None),
            ("Payments are retried", None),
            ("Payments are retried three times", None),
            ("Using #[derive(Deref)]", None),
            ("--watcher", None),
            ("2024", None),
            ("", None),
        ] {
            assert_eq!(title_prompt(name).as_deref(), expected, "{name}");
        }
    }
}
