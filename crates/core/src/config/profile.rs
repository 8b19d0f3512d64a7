//! Profiles: the starting point for one kind of agent, one file each in `.jaato/profiles/` (seed 000 Part 9). They
//! mostly configure other plugins; only `plugin_configs.references` is read and checked here. The catalog interprets
//! its sources.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;

use super::document::{JsonDocument, JsonSize, too_many_values, unread_files};
use super::fields::{Fields, ITEMS};
use super::find::{WorkspaceContext, expand, link_problem, outside_link, read_found};
use super::keys;
use refdesk_files::path::{Resolver, absolute, is_absent};
use refdesk_files::{cause, read_regular};
use refdesk_text::Code;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::tokens::grouped;

/// The folder of a workspace's profiles.
pub const PROFILES: &str = ".jaato/profiles";

/// The path of our section in a profile.
pub const REFERENCES_PATH: [&str; 2] = ["plugin_configs", "references"];

/// Size limit of a profile, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The most JSON values in a profile, including those for other plugins.
const VALUES: usize = 50_000;

/// The most profiles of a workspace, and the limits of all of them together: every one is kept, and a screen reads them
/// again after each change.
const PROFILES_COUNT: usize = 1_000;
const ALL_PROFILES: JsonSize = JsonSize { bytes: 16 * 1024 * 1024, values: 500_000 };

/// Profiles read at a time. This bounds how much is read beyond [`ALL_PROFILES`].
const FILES_AT_ONCE: usize = 8;

/// A profile's settings for references.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its `name`, or its file name without `.json`.
    pub name: String,
    /// Description for people; may be empty.
    pub description: String,
    /// Its file (absolute path) and text.
    pub document: Arc<JsonDocument>,
    /// Ids to pick at the start, in order, each once.
    pub preselected: Vec<String>,
    /// Whether mentions pull sources in; `None` uses the configuration's value.
    pub transitive_injection: Option<bool>,
    /// Tools hidden from the agent; `None` uses the configuration's value.
    pub exclude_tools: Option<Vec<String>>,
    /// The sources it lists in addition to the preselected ones; if empty, the whole catalog.
    pub sources: Vec<ProfileSource>,
    /// Problems with the file.
    pub problems: Vec<Diagnostic>,
}

impl Profile {
    /// The positions of the ids in the profile, in `preselected` or else in `sources`; and the position of its
    /// settings, for all other ids.
    pub fn positions(&self, context: &WorkspaceContext) -> (HashMap<String, Position>, Position) {
        let [configs, ours] = REFERENCES_PATH;
        let part = self.document.value.get(configs).and_then(|configs| configs.get(ours));
        let mut positions = HashMap::new();
        for key in ["preselected", "sources"] {
            let items = part.and_then(|part| part.get(key)).and_then(Value::as_array).into_iter().flatten();
            let path = [PointerStep::Key(configs), PointerStep::Key(ours), PointerStep::Key(key)];
            for (item, position) in items.zip(self.document.item_positions(&path)) {
                if let Some(text) = item.as_str() {
                    positions.entry(expand(context, text)).or_insert(position);
                }
            }
        }
        let settings = [PointerStep::Key(configs), PointerStep::Key(ours)];
        (positions, self.document.position(&settings, super::MemberPart::Value))
    }
}

/// An item of a profile's `sources`.
#[derive(Debug, Clone, PartialEq)]
pub enum ProfileSource {
    /// The id of a source in the catalog.
    Id(String),
    /// A source defined only by the profile.
    Whole {
        /// Its position in the list.
        index: usize,
        /// The entry, with placeholders replaced except in its path.
        value: Value,
    },
}

impl ProfileSource {
    /// Its id; `None` for a definition without one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Id(id) => Some(id),
            Self::Whole { value, .. } => value.get("id").and_then(Value::as_str),
        }
    }

    /// Whether only the profile defines it.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Whole { .. })
    }
}

/// A file in the profiles folder.
#[derive(Debug)]
pub struct ProfileFile {
    /// Absolute.
    pub file: PathBuf,
    /// The profile, or why it could not be read.
    pub read: Result<Profile, Vec<Diagnostic>>,
}

impl ProfileFile {
    /// The profile's own name, or the name of its file.
    pub fn name(&self) -> &str {
        match &self.read {
            Ok(profile) => &profile.name,
            Err(_) => stem(&self.file),
        }
    }
}

/// Why a profile was not found.
#[derive(Debug)]
pub enum ProfileNotFound {
    /// No profile has this name; holds the nearest name, as a question.
    Unknown(Option<String>),
    /// The file does not exist.
    NoFile(PathBuf),
    /// The file does not parse.
    Broken(Vec<Diagnostic>),
}

/// Finds a profile by path (if the argument contains a separator or ends in `.json`; relative to the current folder),
/// otherwise by its name, then by its file name.
///
/// # Errors
/// It does not exist or cannot be read.
pub fn find(context: &WorkspaceContext, given: &str) -> Result<Profile, ProfileNotFound> {
    if given.contains('/') || given.ends_with(".json") {
        let file = absolute(&context.current, Path::new(&expand(context, given)));
        return if file.is_file() {
            read(context, &file).map_err(ProfileNotFound::Broken)
        } else {
            Err(ProfileNotFound::NoFile(file))
        };
    }
    // Try the file of that name first: it is usually the right one, and then the others need not be read.
    let likely = context.workspace.join(PROFILES).join(format!("{given}.json"));
    // Outside the workspace, do not even reveal whether the file exists.
    let by_file = (folder(context).is_ok() && likely.is_file()).then(|| read(context, &likely));
    if let Some(Ok(profile)) = &by_file
        && profile.name == given
    {
        return Ok(profile.clone());
    }
    let (all, _) = read_all(context);
    let mut names = Vec::new();
    for found in all {
        match found.read {
            Ok(profile) if profile.name == given => return Ok(profile),
            Ok(profile) => names.push(profile.name),
            Err(_) => {}
        }
    }
    let unknown = || ProfileNotFound::Unknown(did_you_mean(given, names.iter().map(String::as_str)));
    by_file.ok_or_else(unknown)?.map_err(ProfileNotFound::Broken)
}

/// Every profile of the workspace, in byte order of file name; a diagnostic if the folder cannot be read, or has more
/// than the limits.
pub fn read_all(context: &WorkspaceContext) -> (Vec<ProfileFile>, Vec<Diagnostic>) {
    let folder = match folder(context) {
        Ok(folder) => folder,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let files = match files(&folder) {
        Ok(files) => files,
        Err(error) if is_absent(&error) => return Default::default(),
        Err(error) => {
            let problem =
                Diagnostic::warning(Code::Unreadable, format!("the folder of profiles cannot be read: {error}"));
            return (Vec::new(), vec![problem.in_file(context.display(&folder)).fix("make it a readable folder")]);
        }
    };
    let (mut all, limit) = read_within(context, &files, ALL_PROFILES);
    let mut first_of_name: HashMap<String, PathBuf> = HashMap::new();
    for found in &mut all {
        let Ok(profile) = &mut found.read else { continue };
        let first = match first_of_name.entry(profile.name.clone()) {
            Entry::Vacant(vacant) => {
                vacant.insert(found.file.clone());
                continue;
            }
            Entry::Occupied(first) => first,
        };
        let wins = context.display(first.get());
        let message = format!("the name '{}' is taken by {wins}, which is used instead", profile.name);
        let place = profile.document.position(&[PointerStep::Key("name")], super::MemberPart::Value);
        let problem = Diagnostic::warning(Code::DuplicateName, message).in_file(&profile.document.shown).at(place);
        profile.problems.push(problem.fix("give one of the two another name"));
    }
    let problem = limit.zip(files.get(all.len())).map(|(limit, first)| {
        let problem = format!("the folder of profiles has more than {limit}");
        let others = files.len() - all.len() - 1;
        unread_files(&problem, context.display(first), others).fix("remove profiles, or make them smaller")
    });
    (all, problem.into_iter().collect())
}

/// The first of these files that are within the limits together; the limit, if there are more.
fn read_within(context: &WorkspaceContext, files: &[PathBuf], most: JsonSize) -> (Vec<ProfileFile>, Option<String>) {
    let (mut all, mut sum) = (Vec::new(), JsonSize::default());
    let few = files.get(..PROFILES_COUNT);
    for some in few.unwrap_or(files).chunks(FILES_AT_ONCE) {
        let read: Vec<_> = some.par_iter().map(|file| (file, read_sized(context, file))).collect();
        for (file, (size, read)) in read {
            if let Some(limit) = sum.add(size, most) {
                return (all, Some(limit));
            }
            all.push(ProfileFile { file: file.clone(), read });
        }
    }
    (all, few.map(|_| format!("{} files", grouped(PROFILES_COUNT))))
}

/// The folder of profiles, unless it leads out of the workspace.
fn folder(context: &WorkspaceContext) -> Result<PathBuf, Diagnostic> {
    let (folder, resolver) = (context.workspace.join(PROFILES), Resolver::default());
    let is_inside = resolver.folder(&folder).starts_with(resolver.folder(&context.workspace));
    is_inside.then(|| folder.clone()).ok_or_else(|| outside_link("folder of profiles", &context.display(&folder)))
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().ends_with(b".json") {
            names.push(name);
        }
    }
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

fn stem(file: &Path) -> &str {
    file.file_stem().and_then(OsStr::to_str).unwrap_or("profile")
}

/// Reads a profile.
///
/// # Errors
/// It cannot be read, is not a JSON object, or is a link from the workspace's folder of profiles to outside.
pub fn read(context: &WorkspaceContext, file: &Path) -> Result<Profile, Vec<Diagnostic>> {
    read_sized(context, file).1
}

/// The size of a file, and the profile.
fn read_sized(context: &WorkspaceContext, file: &Path) -> (JsonSize, Result<Profile, Vec<Diagnostic>>) {
    let shown = context.display(file);
    let bytes = match bytes_of(context, file, &shown) {
        Ok(bytes) => bytes,
        Err(problem) => return (JsonSize::default(), Err(vec![problem])),
    };
    let size = JsonSize::of(&bytes);
    if size.values > VALUES {
        // Its values are not parsed.
        let size = JsonSize { values: 0, ..size };
        return (size, Err(vec![too_many_values(VALUES).in_file(&shown).fix(TOO_LARGE)]));
    }
    (size, parse(context, file, shown, bytes))
}

/// How to make a profile smaller.
const TOO_LARGE: &str = "remove sources that the catalog already has";

fn bytes_of(context: &WorkspaceContext, file: &Path, shown: &str) -> Result<Vec<u8>, Diagnostic> {
    let is_found = file.starts_with(context.workspace.join(PROFILES));
    let read = if is_found { read_found(context, file, LARGEST) } else { read_regular(file, LARGEST) };
    let (bytes, more) = read.map_err(|error| {
        link_problem("profile", file, shown, &error).unwrap_or_else(|| {
            let problem = Diagnostic::error(Code::Unreadable, format!("the profile cannot be read: {}", cause(&error)));
            problem.in_file(shown).fix("make it a readable file of one JSON object, or remove it")
        })
    })?;
    if more {
        let message = format!("the profile is larger than {LARGEST} bytes (1 MiB), so it is not read");
        return Err(Diagnostic::error(Code::TooLarge, message).in_file(shown).fix(TOO_LARGE));
    }
    Ok(bytes)
}

fn parse(context: &WorkspaceContext, file: &Path, shown: String, bytes: Vec<u8>) -> Result<Profile, Vec<Diagnostic>> {
    let (document, mut problems) = JsonDocument::parse(file, shown, bytes);
    let Some(document) = document.map(Arc::new) else { return Err(problems) };
    let said = {
        let Some(mut fields) = Fields::of(&document, Vec::new(), &document.value, &mut problems) else {
            return Err(problems);
        };
        let name = fields.string("name").map(str::to_owned);
        let name = name.filter(|name| {
            let is_empty = name.trim().is_empty();
            if is_empty {
                let problem = Diagnostic::error(Code::EmptyName, "'name' is empty; the file's name is used");
                fields.report_value("name", problem.fix("give 'name' a value, or leave it out"));
            }
            !is_empty
        });
        let description = fields.string("description").unwrap_or_default().to_owned();
        let [configs, ours] = REFERENCES_PATH;
        if document.value.get(configs).and_then(|configs| configs.get(ours)).is_none() {
            report_misplaced(&mut fields);
        }
        let part = match fields.inner(configs) {
            Some(mut configs) => configs.inner(ours).map(|mut ours| references(context, &mut ours)),
            None => None,
        };
        (name, description, part.unwrap_or_default())
    };
    let (name, description, part) = said;
    let name = name.unwrap_or_else(|| stem(file).to_owned());
    let ProfileReferences { preselected, transitive_injection, exclude_tools, sources } = part;
    Ok(Profile { name, description, document, preselected, transitive_injection, exclude_tools, sources, problems })
}

/// Reports settings that stand at the top of a profile, where nothing reads them.
fn report_misplaced(fields: &mut Fields<'_>) {
    let known = keys::PROFILE.iter().chain(&[REFERENCES_PATH[1]]);
    if let Some(key) = known.copied().find(|key| *key != "$schema" && fields.value(key).is_some()) {
        let path = REFERENCES_PATH.join(".");
        let message = format!("the profile sets nothing here: '{key}' counts only in '{path}'");
        fields.report_value(key, Diagnostic::warning(Code::UnknownKey, message).fix(format!("move it to '{path}'")));
    }
}

#[derive(Default)]
struct ProfileReferences {
    preselected: Vec<String>,
    transitive_injection: Option<bool>,
    exclude_tools: Option<Vec<String>>,
    sources: Vec<ProfileSource>,
}

fn references(context: &WorkspaceContext, fields: &mut Fields<'_>) -> ProfileReferences {
    fields.warn_unknown(keys::PROFILE);
    // `strings` reports problems with items; `value` keeps their positions.
    fields.strings("preselected");
    let items = fields.value("preselected").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let ids = items.iter().take(ITEMS).enumerate().filter_map(|(at, item)| Some((at, expand(context, item.as_str()?))));
    let preselected = without_duplicates(fields, "preselected", ids).into_iter().map(|(_, id)| id).collect();
    let transitive_injection = fields.value("transitive_injection").and_then(Value::as_bool);
    // Only to report a wrong type.
    fields.flag("transitive_injection", true);
    let has_tools = fields.value("exclude_tools").is_some_and(Value::is_array);
    let tools = fields.strings("exclude_tools").iter().map(|tool| expand(context, tool)).collect();
    let exclude_tools = has_tools.then_some(tools);
    ProfileReferences { preselected, transitive_injection, exclude_tools, sources: sources(context, fields) }
}

fn sources(context: &WorkspaceContext, fields: &mut Fields<'_>) -> Vec<ProfileSource> {
    let Some(items) = fields.list("sources") else { return Vec::new() };
    let (mut ids, mut listed) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        match item {
            Value::String(id) => ids.push((index, expand(context, id))),
            Value::Object(_) => listed.push((index, ProfileSource::Whole { index, value: expanded(context, item) })),
            _ => {
                let problem = Diagnostic::error(Code::WrongType, "'sources' may hold only ids and sources");
                fields.report_item("sources", index, problem.fix("write the id of a source in quotes, or {…}"));
            }
        }
    }
    let ids = without_duplicates(fields, "sources", ids.into_iter());
    listed.extend(ids.into_iter().map(|(index, id)| (index, ProfileSource::Id(id))));
    listed.sort_by_key(|(index, _)| *index);
    listed.into_iter().map(|(_, item)| item).collect()
}

/// Removes repeated ids and reports them.
fn without_duplicates(
    fields: &mut Fields<'_>,
    key: &str,
    ids: impl Iterator<Item = (usize, String)>,
) -> Vec<(usize, String)> {
    let (mut seen, mut kept) = (HashSet::new(), Vec::new());
    for (index, id) in ids {
        if seen.insert(id.clone()) {
            kept.push((index, id));
        } else {
            let problem = Diagnostic::warning(Code::DuplicateId, format!("'{key}' contains '{id}' twice"));
            fields.report_item(key, index, problem.fix("remove one of the two"));
        }
    }
    kept
}

/// Replaces placeholders in the whole entry except its path; the catalog expands the path and keeps the original.
fn expanded(context: &WorkspaceContext, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(expand(context, text)),
        Value::Array(items) => Value::Array(items.iter().map(|item| expanded(context, item)).collect()),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                (key.clone(), if key == "path" { value.clone() } else { expanded(context, value) })
            };
            Value::Object(members.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, WorkspaceContext) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("ws");
        for (name, text) in files {
            write_atomic(&workspace.join(PROFILES).join(name), text.as_bytes()).unwrap();
        }
        let current = folder.path().to_path_buf();
        (folder, WorkspaceContext { workspace, current, ..WorkspaceContext::default() })
    }

    fn reported(problems: &[Diagnostic]) -> Vec<(&'static str, usize, usize)> {
        problems.iter().map(|it| (it.code.as_str(), it.line.unwrap_or(0), it.column.unwrap_or(0))).collect()
    }

    #[test]
    fn a_profile_over_the_size_limit_is_reported() {
        let whole = r#"{"name": "x"}"#;
        for (bytes, expected) in [(LARGEST, None), (LARGEST + 1, Some("too-large"))] {
            let text = format!("{whole}{}", " ".repeat(usize::try_from(bytes).unwrap() - whole.len()));
            let (_folder, context) = world(&[("large.json", text.as_str())]);
            let read = read(&context, &context.workspace.join(PROFILES).join("large.json"));
            let code = read.err().map(|problems| problems[0].code.as_str());
            assert_eq!(code, expected, "{bytes}");
        }
    }

    #[test]
    fn profiles_have_limits_together() {
        let values = |count: usize| format!("{{\"a\": [{}1]}}", "1,".repeat(count - 2));
        let padded = format!("{{}}{}", " ".repeat(usize::try_from(LARGEST).unwrap() - 2));
        for (text, count, read, words) in [
            ("{}".to_owned(), 1_000, 1_000, ""),
            ("{}".to_owned(), 1_002, 1_000, "1,000 files; .jaato/profiles/1000.json and 1 file after it are not read"),
            (padded, 18, 16, "16 MiB; .jaato/profiles/0016.json and 1 file after it are not read"),
            (values(VALUES), 11, 10, "500,000 values; .jaato/profiles/0010.json is not read"),
            (values(VALUES + 1), 11, 11, ""),
        ] {
            let (_folder, context) = world(&[]);
            let folder = context.workspace.join(PROFILES);
            fs::create_dir_all(&folder).unwrap();
            for at in 0..count {
                let mut file = fs::File::create(folder.join(format!("{at:04}.json"))).unwrap();
                std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            }
            let (all, problems) = read_all(&context);
            assert_eq!(all.len(), read, "{words}");
            let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            let expected = format!("the folder of profiles has more than {words}");
            assert_eq!(messages, Vec::from_iter((!words.is_empty()).then_some(expected.as_str())));
            let is_small = text != values(VALUES + 1);
            assert!(all.iter().all(|found| found.read.is_ok() == is_small), "{words}");
        }
    }

    #[test]
    fn every_problem_is_reported_at_its_position_and_affects_nothing_else() {
        let ours =
            |part: &str| format!("{{\"plugin_configs\": {{\"lsp\": {{\"x\": [1]}},\n \"references\": {part}}}}}");
        for (text, expected) in [
            (ours("{\"preselected\": [\"a\"]}"), vec![]),
            (ours("{\"preselected\": \"a\"}"), vec![("wrong-type", 2, 32)]),
            (ours("{\"preselected\": [\"a\", 3, \"a\"]}"), vec![("wrong-type", 2, 38), ("duplicate-id", 2, 41)]),
            (ours("{\"preselcted\": []}"), vec![("unknown-key", 2, 17)]),
            (ours("{\"transitive_injection\": \"no\"}"), vec![("wrong-type", 2, 41)]),
            (ours("{\"sources\": {}}"), vec![("wrong-type", 2, 28)]),
            (ours("{\"sources\": [\"a\", 1, {}, \"a\"]}"), vec![("wrong-type", 2, 34), ("duplicate-id", 2, 41)]),
            (ours("[]"), vec![("wrong-type", 2, 16)]),
            ("{\"name\": \" \"}".to_owned(), vec![("empty-name", 1, 10)]),
            ("{\"name\": 3, \"plugin_configs\": 4}".to_owned(), vec![("wrong-type", 1, 10), ("wrong-type", 1, 31)]),
            // Nothing reads settings outside of our section.
            ("{\"preselected\": 7, \"sources\": 8, \"max_turns\": \"x\"}".to_owned(), vec![("unknown-key", 1, 17)]),
            ("{\"references\": {}}".to_owned(), vec![("unknown-key", 1, 16)]),
            ("{\"sources\": 8, \"plugin_configs\": {\"references\": {}}}".to_owned(), vec![]),
        ] {
            let (_folder, context) = world(&[("p.json", &text)]);
            let profile = find(&context, "p").unwrap();
            assert_eq!(reported(&profile.problems), expected, "{text}");
        }
        let nearest = ours("{\"preselcted\": []}");
        let (_folder, context) = world(&[("p.json", &nearest)]);
        assert_eq!(find(&context, "p").unwrap().problems[0].fix.to_string(), "did you mean 'preselected'?");
    }

    #[test]
    fn a_profile_that_does_not_parse_does_not_affect_the_others() {
        let (_folder, context) =
            world(&[("a.json", "{\n"), ("b.json", "{\"name\": \"bee\"}"), ("c.json", "[]"), ("d.txt", "")]);
        let (all, problems) = read_all(&context);
        assert_eq!(all.iter().map(ProfileFile::name).collect::<Vec<_>>(), ["a", "bee", "c"]);
        assert!(problems.is_empty());
        let wrong = |at: usize| reported(all[at].read.as_ref().unwrap_err());
        assert_eq!((wrong(0), wrong(2)), (vec![("json-syntax", 2, 1)], vec![("not-an-object", 1, 1)]));
        assert!(matches!(find(&context, "a"), Err(ProfileNotFound::Broken(_))));
    }

    #[test]
    fn find_takes_a_name_then_a_file_name_or_a_path() {
        let (folder, context) = world(&[
            ("a.json", "{\"name\": \"b\", \"description\": \"first\"}"),
            ("b.json", "{\"name\": \"c\", \"description\": \"second\"}"),
            ("d.json", "{\"name\": \"b\", \"description\": \"third\"}"),
        ]);
        let described = |given: &str| find(&context, given).map(|profile| profile.description);
        assert_eq!(described("b").unwrap(), "first", "a profile's own name takes precedence over its file name");
        assert_eq!((described("a").unwrap(), described("c").unwrap()), ("first".to_owned(), "second".to_owned()));
        assert_eq!(described("ws/.jaato/profiles/d.json").unwrap(), "third");
        let elsewhere = folder.path().join("e.json");
        write_atomic(&elsewhere, b"{}").unwrap();
        assert_eq!(find(&context, "e.json").unwrap().name, "e");
        assert!(matches!(described("f.json"), Err(ProfileNotFound::NoFile(_))));
        assert!(matches!(described("cc"), Err(ProfileNotFound::Unknown(Some(nearest))) if nearest.contains("'c'")));
        let (all, _) = read_all(&context);
        assert_eq!(reported(&all[2].read.as_ref().unwrap().problems), [("duplicate-name", 1, 10)]);
    }

    #[test]
    fn placeholders_are_replaced_in_our_section_only() {
        let text = r#"{"name": "${workspaceRoot}", "plugin_configs": {"references": {"preselected": ["${workspaceRoot}-a"],
            "exclude_tools": ["${projectPath}"], "transitive_injection": false,
            "sources": ["x", {"id": "y", "path": "${workspaceRoot}/y.md", "args": {"at": ["${workspaceRoot}/z"]}}]}}}"#;
        let (_folder, context) = world(&[("p.json", text)]);
        let root = context.workspace.to_string_lossy().into_owned();
        let profile = find(&context, "p").unwrap();
        assert_eq!(profile.name, "${workspaceRoot}");
        assert_eq!(profile.preselected, [format!("{root}-a")]);
        assert_eq!((profile.exclude_tools, profile.transitive_injection), (Some(vec![root.clone()]), Some(false)));
        let [ProfileSource::Id(id), ProfileSource::Whole { index: 1, value }] = profile.sources.as_slice() else {
            panic!("{:?}", profile.sources)
        };
        assert_eq!((id.as_str(), &value["path"]), ("x", &Value::from("${workspaceRoot}/y.md")));
        assert_eq!(value["args"]["at"][0], format!("{root}/z"));
    }
}
