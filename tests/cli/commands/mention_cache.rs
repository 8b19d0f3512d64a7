//! The stored mention cache: which commands write it, which must not, and that no result depends on it.

use std::fs;
use std::time::Instant;

use super::small;
use crate::support::program::LIMIT;

#[test]
fn only_commands_that_may_write_store_it_and_none_needs_it() {
    let world = small();
    let kept = world.path.join(".jaato/refdesk/cache/mentions");
    world.run(&["select", "a"]).exits(0);
    // Recently written documents are not cached, so the read-only command reads them again.
    let began = Instant::now();
    while !kept.exists() {
        assert!(began.elapsed() < LIMIT, "nothing is ever kept");
        world.feed(&["enrich"], b"hello").exits(0);
    }
    let resolved = world.json(&["resolve", "a"], 0);
    fs::remove_file(&kept).unwrap();
    let before = world.listing();
    assert_eq!(world.json(&["resolve", "a"], 0), resolved);
    for words in [&["list"][..], &["check"], &["why", "b"], &["graph"]] {
        world.run(words);
    }
    world.feed(&["enrich", "--dry-run"], b"hello").exits(0);
    assert!(world.listing() == before, "something was written");
    world.feed(&["enrich"], b"hello").exits(0);
    assert!(kept.exists());
    for rubbish in [&b""[..], b"refdesk\0", &[0xff; 5000]] {
        fs::File::create(&kept).and_then(|mut file| std::io::Write::write_all(&mut file, rubbish)).unwrap();
        assert_eq!(world.json(&["resolve", "a"], 0), resolved);
    }
}
