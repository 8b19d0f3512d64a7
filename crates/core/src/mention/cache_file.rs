//! The format of the cache file, which lets a command read only the documents that changed since the last command.
//! Entries are looked up in the file's bytes and parsed only on demand.
//!
//! The file cannot change the catalog. The ids in it are positions in a list that the file is bound to by a hash, so
//! they are always ids of the catalog. A link's path is stored as written in the document and resolved again each time.
//! An entry is looked up only by the path of a document that is being read. It is used only if this user's refdesk
//! sealed it for this workspace and these ids, and only if the document's stamp is exactly the same.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::ids::IdMatcher;
use super::scan::{LinkedPath, ScannedMentions};
use refdesk_files::{SealKey, Stamp};
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::number::{narrow, wide};

/// Size limit of the file in bytes, enough for a hundred thousand average documents. Documents of the current run come
/// first; those that do not fit are read again when needed.
pub(crate) const LIMIT: usize = 16 * 1024 * 1024;

/// Size limit of an entry in bytes. A document with tens of thousands of mentions is read each time.
const ENTRY_LIMIT: usize = 256 * 1024;

const MAGIC: &[u8; 8] = b"refdesk\0";

/// Magic, header, count.
const HEADER: usize = 8 + 32 + 4;

/// Bytes of an entry's seal.
const SEAL: usize = 16;

/// The path that an entry's seal is bound to.
const PLACE: &str = "cache/mentions";

/// Identifies a cache file's format, the program that wrote it, and the ids that were looked for.
pub(crate) type Header = [u8; 32];

pub(super) fn header(ids: &IdMatcher) -> Header {
    let mut hash = Sha256::new();
    hash.update(concat!("mentions 10, refdesk ", env!("CARGO_PKG_VERSION"), "\0"));
    hash.update(ids.hash());
    hash.finalize().into()
}

/// A cache file; empty if it does not exist or has another header.
#[derive(Debug, Default)]
pub(super) struct SealedEntries {
    bytes: Vec<u8>,
    count: usize,
    /// The key that seals the entries, and the header; `None` only if there are no entries.
    seal: Option<(SealKey, Header)>,
}

impl SealedEntries {
    /// The entries in the bytes of a file, if it has this header.
    pub(super) fn new(bytes: Vec<u8>, key: SealKey, header: Header) -> Self {
        let mut from = ByteReader(&bytes);
        let begin = || Some((from.bytes(8)? == MAGIC && from.bytes(32)? == header, from.number()?));
        let count = match { begin }() {
            Some((true, count)) => wide(count),
            _ => return Self::default(),
        };
        Self { bytes, count, seal: Some((key, header)) }
    }

    /// The mentions of the document at this path with this stamp, if the file has them.
    pub(super) fn named(&self, path: &Path, stamp: Stamp, ids: &IdMatcher) -> Option<ScannedMentions> {
        let path = path.as_os_str().as_encoded_bytes();
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle)?.path.cmp(path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return self.entry(middle).filter(|entry| self.is_own(entry))?.named(stamp, ids.len());
                }
            }
        }
        None
    }

    /// Every complete entry with a valid seal, as path and entry, both as bytes of the file.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let entries = (0..self.count).map_while(|at| self.entry(at));
        entries.filter(|entry| self.is_own(entry)).map(|entry| (entry.path, entry.all))
    }

    fn is_own(&self, entry: &CacheEntry<'_>) -> bool {
        self.seal.as_ref().is_some_and(|(key, header)| key.is_seal(entry.seal, PLACE, &[header, entry.sealed]))
    }

    fn entry(&self, at: usize) -> Option<CacheEntry<'_>> {
        let offset = |at: usize| {
            let place = HEADER.checked_add(at.checked_mul(4)?)?;
            Some(wide(ByteReader(self.bytes.get(place..)?).number()?))
        };
        let end = if at + 1 < self.count { offset(at + 1)? } else { self.bytes.len() };
        CacheEntry::of(self.bytes.get(Range { start: offset(at)?, end })?)
    }
}

struct CacheEntry<'a> {
    all: &'a [u8],
    seal: &'a [u8],
    sealed: &'a [u8],
    path: &'a [u8],
    rest: ByteReader<'a>,
}

impl<'a> CacheEntry<'a> {
    fn of(all: &'a [u8]) -> Option<Self> {
        let mut from = ByteReader(all);
        let seal = from.bytes(SEAL)?;
        let sealed = from.0;
        let length = wide(from.number()?);
        Some(Self { all, seal, sealed, path: from.bytes(length)?, rest: from })
    }

    fn named(mut self, stamp: Stamp, ids: usize) -> Option<ScannedMentions> {
        let from = &mut self.rest;
        let then = Stamp { size: from.long()?, modified: from.long()?, changed: from.long()?, number: from.long()? };
        if then != stamp {
            return None;
        }
        let is_binary = from.number()? != 0;
        let mut line = || from.number().map(|line| (line != 0).then_some(line));
        let (cut_at, unparsed_from, split_at) = (line()?, line()?, line()?);
        let mut found = Vec::new();
        for _ in 0..from.number()? {
            let (id, line) = (from.number()?, from.number()?);
            if wide(id) >= ids {
                return None;
            }
            found.push((id, line));
        }
        let mut paths = Vec::new();
        for _ in 0..from.number()? {
            let length = wide(from.number()?);
            let path = std::str::from_utf8(from.bytes(length)?).ok()?;
            paths.push(LinkedPath { path: path.into(), line: from.number()?, is_example: from.number()? != 0 });
        }
        let hidden = match from.number()? {
            0 => None,
            count => {
                let (line, column) = (from.number()?, from.number()?);
                let mut kinds = Vec::new();
                for _ in 0..from.number()? {
                    kinds.push(char::from_u32(from.number()?)?);
                }
                Some(Box::new(HiddenCharacters { count, line, column, kinds }))
            }
        };
        let (ids, paths) = (found.into(), paths.into());
        Some(ScannedMentions { ids, paths, is_binary, cut_at, unparsed_from, split_at, hidden })
    }
}

/// The sealed entry of a document; `None` if it has too many mentions.
pub(crate) fn entry(
    path: &Path,
    stamp: Stamp,
    named: &ScannedMentions,
    (key, header): (&SealKey, &Header),
) -> Option<Vec<u8>> {
    let mut out = vec![0; SEAL];
    let path = path.as_os_str().as_encoded_bytes();
    put(&mut out, path.len());
    out.extend_from_slice(path);
    for part in [stamp.size, stamp.modified, stamp.changed, stamp.number] {
        out.extend_from_slice(&part.to_le_bytes());
    }
    put(&mut out, usize::from(named.is_binary));
    for line in [named.cut_at, named.unparsed_from, named.split_at] {
        out.extend_from_slice(&line.unwrap_or(0).to_le_bytes());
    }
    put(&mut out, named.ids.len());
    for (id, line) in &named.ids {
        out.extend_from_slice(&id.to_le_bytes());
        out.extend_from_slice(&line.to_le_bytes());
    }
    put(&mut out, named.paths.len());
    for LinkedPath { path, line, is_example } in &named.paths {
        put(&mut out, path.len());
        out.extend_from_slice(path.as_bytes());
        out.extend_from_slice(&line.to_le_bytes());
        put(&mut out, usize::from(*is_example));
    }
    match named.hidden.as_deref() {
        None => put(&mut out, 0),
        Some(HiddenCharacters { count, line, column, kinds }) => {
            for part in [count, line, column] {
                out.extend_from_slice(&part.to_le_bytes());
            }
            put(&mut out, kinds.len());
            kinds.iter().for_each(|kind| out.extend_from_slice(&u32::from(*kind).to_le_bytes()));
        }
    }
    let seal = key.seal(PLACE, &[header, out.get(SEAL..)?]);
    out.get_mut(..SEAL)?.copy_from_slice(&seal);
    (out.len() <= ENTRY_LIMIT).then_some(out)
}

/// The bytes of a file with these entries. Of several entries for the same path, the first is used; those at the end
/// that exceed the size limit are left out.
pub(crate) fn file(header: &Header, entries: Vec<(&[u8], Cow<'_, [u8]>)>) -> Vec<u8> {
    let mut size = HEADER;
    let mut chosen: Vec<_> = entries
        .into_iter()
        .take_while(|(_, entry)| {
            size += entry.len() + 4;
            size <= LIMIT
        })
        .collect();
    chosen.sort_by(|one, other| one.0.cmp(other.0));
    chosen.dedup_by(|later, earlier| later.0 == earlier.0);
    let mut out = Vec::with_capacity(size.min(LIMIT));
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(header);
    put(&mut out, chosen.len());
    let mut offset = HEADER + 4 * chosen.len();
    for (_, entry) in &chosen {
        put(&mut out, offset);
        offset += entry.len();
    }
    chosen.iter().for_each(|(_, entry)| out.extend_from_slice(entry));
    out
}

fn put(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&narrow(number).to_le_bytes());
}

#[derive(Clone, Copy)]
struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*taken))
    }

    fn long(&mut self) -> Option<u64> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*taken))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::testing::inline;
    use refdesk_files::Sealer;

    fn matcher(ids: &[&str]) -> IdMatcher {
        IdMatcher::new(&Catalog::new(ids.iter().map(|id| inline(id, "")).collect()))
    }

    fn seal_key(workspace: &str) -> SealKey {
        Sealer::fixed(Path::new(workspace)).key().unwrap().clone()
    }

    fn kept_in(bytes: Vec<u8>, ids: &IdMatcher) -> SealedEntries {
        SealedEntries::new(bytes, seal_key("/w"), header(ids))
    }

    const STAMP: Stamp = Stamp { size: 1, modified: 2, changed: 3, number: 4 };

    fn some() -> Vec<(PathBuf, ScannedMentions)> {
        let hidden = HiddenCharacters { count: 3, line: 1, column: 2, kinds: vec!['\u{202e}', '\u{200b}'] };
        let named = ScannedMentions {
            ids: [(0, 1), (1, 9)].into(),
            paths: [LinkedPath { path: "./é.md".into(), line: 4, is_example: true }].into(),
            is_binary: true,
            cut_at: Some(7),
            unparsed_from: None,
            split_at: Some(8),
            hidden: Some(Box::new(hidden)),
        };
        vec![
            ("/w/b.md".into(), named),
            ("/w/a.md".into(), ScannedMentions::default()),
            ("/w/a/x.md".into(), ScannedMentions::default()),
        ]
    }

    fn bytes(ids: &IdMatcher) -> Vec<u8> {
        let (key, header) = (seal_key("/w"), header(ids));
        let entries: Vec<_> = some()
            .iter()
            .map(|(path, named)| (path.clone(), entry(path, STAMP, named, (&key, &header)).unwrap()))
            .collect();
        let entries =
            entries.iter().map(|(path, entry)| (path.as_os_str().as_encoded_bytes(), Cow::Borrowed(&**entry)));
        file(&header, entries.collect())
    }

    #[test]
    fn an_entry_is_found_only_for_the_same_document_and_ids() {
        let ids = matcher(&["x", "y"]);
        let kept = kept_in(bytes(&ids), &ids);
        for (path, named) in some() {
            assert_eq!(kept.named(&path, STAMP, &ids), Some(named), "{}", path.display());
            for other in [
                Stamp { size: 0, ..STAMP },
                Stamp { modified: 0, ..STAMP },
                Stamp { changed: 0, ..STAMP },
                Stamp { number: 0, ..STAMP },
            ] {
                assert_eq!(kept.named(&path, other, &ids), None);
            }
        }
        assert_eq!(kept.named(Path::new("/w/c.md"), STAMP, &ids), None);
        assert_eq!(kept.entries().count(), 3);
        for other in [&["y", "x"][..], &["x"], &["x", "y", "z"], &["xy"], &[]] {
            assert_eq!(kept_in(bytes(&ids), &matcher(other)).count, 0);
            // Only the header was replaced: the entries are sealed for other ids.
            let mut forged = bytes(&ids);
            forged[8..40].copy_from_slice(&header(&matcher(other)));
            assert_eq!(kept_in(forged, &matcher(other)).entries().count(), 0);
        }
        let elsewhere = SealedEntries::new(bytes(&ids), seal_key("/elsewhere"), header(&ids));
        assert_eq!((elsewhere.named(Path::new("/w/b.md"), STAMP, &ids), elsewhere.entries().count()), (None, 0));
        let few = matcher(&["x"]);
        assert_eq!(kept.named(Path::new("/w/b.md"), STAMP, &few), None, "an unknown id");
    }

    #[test]
    fn entries_over_the_limit_are_left_out_from_the_end() {
        let ids = matcher(&["x"]);
        let (key, header_of_ids) = (seal_key("/w"), header(&ids));
        let seal = (&key, &header_of_ids);
        let named = ScannedMentions {
            paths: [LinkedPath { path: "p".repeat(200_000).into(), line: 1, is_example: false }].into(),
            ..ScannedMentions::default()
        };
        let paths: Vec<PathBuf> = (0..100).map(|at| format!("/w/{:02}", 99 - at).into()).collect();
        let entries: Vec<_> = paths.iter().map(|path| (path, entry(path, STAMP, &named, seal).unwrap())).collect();
        let entries =
            entries.iter().map(|(path, entry)| (path.as_os_str().as_encoded_bytes(), Cow::Borrowed(&**entry)));
        let file = file(&header(&ids), entries.collect());
        assert!(file.len() <= LIMIT, "{}", file.len());
        let kept = kept_in(file, &ids);
        assert_eq!(kept.named(&paths[0], STAMP, &ids), Some(named));
        assert_eq!(kept.named(&paths[99], STAMP, &ids), None);
        let long = ScannedMentions {
            paths: [LinkedPath { path: "p".repeat(ENTRY_LIMIT).into(), line: 1, is_example: false }].into(),
            ..ScannedMentions::default()
        };
        assert_eq!(entry(Path::new("/w"), STAMP, &long, seal), None);
    }

    proptest! {
        /// A truncated file, or one with any byte changed, yields the original entry or none.
        #[test]
        fn a_damaged_file_never_yields_a_wrong_entry(cut in 0usize..600, at in 0usize..600, byte: u8) {
            let ids = matcher(&["x", "y"]);
            let whole = bytes(&ids);
            let mut damaged = whole.clone();
            damaged.truncate(cut);
            let mut other = whole.clone();
            if let Some(place) = other.get_mut(at) {
                *place = byte;
            }
            for damaged in [damaged, other] {
                let kept = kept_in(damaged, &ids);
                prop_assert!(kept.entries().count() <= 3);
                for (path, named) in some() {
                    prop_assert!(kept.named(&path, STAMP, &ids).is_none_or(|kept| kept == named));
                }
            }
        }

        #[test]
        fn random_bytes_are_harmless(rubbish in prop::collection::vec(any::<u8>(), 0..200), count: u32) {
            let ids = matcher(&["x"]);
            let bytes = [&MAGIC[..], &header(&ids), &count.to_le_bytes(), &rubbish].concat();
            let kept = kept_in(bytes, &ids);
            prop_assert_eq!(kept.named(Path::new("/w"), STAMP, &ids), None);
            prop_assert!(kept.entries().count() <= rubbish.len());
        }
    }
}
