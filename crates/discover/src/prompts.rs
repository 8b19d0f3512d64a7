//! Prompts that a developer might type about a source, made from its name and its tags.

use super::common::is_common;
use refdesk_text::fold::{collapsed, tag_key};

/// Words that a document's title begins with when it says what to do.
const VERBS: &str = "add adopt avoid build change choose configure connect create debug define deploy design enable extend \
                     format generate handle implement install keep manage migrate monitor move publish release remove \
                     replace review run secure send set split start store test update upgrade use validate write";

/// Words that make a title a sentence.
const FINITE: [&str; 9] = ["are", "can", "has", "have", "is", "must", "should", "was", "will"];

/// Prompts about a source, the most natural first. Each contains one of its tags; without tags there are none.
pub fn prompts(name: &str, tags: &[String]) -> Vec<String> {
    let mut prompts = Vec::new();
    let subject = subject(name);
    if tags.iter().any(|tag| has_words(&subject, tag)) && subject.chars().count() <= 60 {
        prompts.extend(about(&subject));
    }
    prompts.extend(tags.first().map(|tag| format!("what do we say about {tag}?")));
    prompts
}

/// A title without its number and final mark.
fn subject(name: &str) -> String {
    let bare = name.trim().trim_end_matches(['.', ':', '!', '?']);
    let bare = bare.strip_prefix("ADR").unwrap_or(bare);
    let numbered = bare.trim_start_matches(|c: char| {
        c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '.' | ':' | '#' | '—')
    });
    if numbered.is_empty() { bare.to_owned() } else { numbered.to_owned() }
}

/// A question about a title, if its form says how to ask: a task, or a noun.
fn about(subject: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '/');
    let mut words = subject.split_whitespace();
    let first = words.next()?;
    let lower = first.to_lowercase();
    let rest = subject.get(first.len()..).unwrap_or_default();
    let is_plain = first.chars().skip(1).all(char::is_lowercase) && first.is_ascii();
    if !subject.chars().all(is_word) {
        return None;
    }
    if let Some(task) = subject.strip_prefix("How to ").or_else(|| subject.strip_prefix("How do I ")) {
        return Some(format!("how do I {task}?"));
    }
    if VERBS.split_ascii_whitespace().any(|verb| verb == lower) && !rest.is_empty() {
        return Some(format!("how do I {lower}{rest}?"));
    }
    if is_plain && lower.len() > 5 && lower.ends_with("ing") && !rest.is_empty() {
        return Some(format!("I need help with {lower}{rest}"));
    }
    // Longer titles are often sentences.
    let is_noun = subject.split_whitespace().count() <= 3 && !words.any(|word| FINITE.contains(&word));
    let spelt = if is_plain && is_common(&lower) { format!("{lower}{rest}") } else { subject.to_owned() };
    is_noun.then(|| format!("what do we say about {spelt}?"))
}

/// Whether the words of a tag are in a text.
fn has_words(text: &str, tag: &str) -> bool {
    let key = |text: &str| format!(" {} ", collapsed(&tag_key(&text.replace(|c: char| !c.is_alphanumeric(), " "))));
    key(text).contains(&key(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_sound_like_questions() {
        for (name, tags, expected) in [
            ("0003. Use Kafka", &["kafka"][..], "how do I use Kafka?"),
            ("ADR 7: Kafka for events", &["kafka"], "what do we say about Kafka for events?"),
            ("Writing tests", &["tests"], "I need help with writing tests"),
            ("How to deploy the shop", &["shop", "deploy"], "how do I deploy the shop?"),
            ("Retry policy", &["retry policy"], "what do we say about Retry policy?"),
            ("mdBook", &["mdbook"], "what do we say about mdBook?"),
            ("The guide", &["kafka", "saga"], "what do we say about kafka?"),
            ("Payments are retried three times", &["payments"], "what do we say about payments?"),
            ("Using #[derive(Deref)]", &["deref"], "what do we say about deref?"),
            ("2024", &["kafka"], "what do we say about kafka?"),
        ] {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            assert_eq!(prompts(name, &tags).first().map(String::as_str), Some(expected), "{name}");
        }
        assert!(prompts("Anything", &[]).is_empty());
    }
}
