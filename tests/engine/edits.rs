//! Single edits: none is lost while the desk is busy. `benches/live.rs` measures how soon they show.

use refdesk_desk::engine::Request;

use crate::engine::world::World;

#[test]
fn an_edit_right_after_a_reload_is_not_lost() {
    let mut world = World::new();
    for round in 0..50 {
        let (text, shown): (&str, &[&str]) = if round % 2 == 0 { ("See c.\n", &["c"]) } else { ("Nothing.\n", &[]) };
        world.ask(Request::Reload);
        world.overwrite("b.md", text);
        world.until_mentions("b", shown);
    }
}

#[test]
fn the_second_of_two_edits_in_a_row_counts() {
    let mut world = World::new();
    for _ in 0..25 {
        world.overwrite("b.md", "See a.\n");
        world.overwrite("b.md", "See c.\n");
        world.until_mentions("b", &["c"]);
        world.write("b.md", "See c.\n");
        world.write("b.md", "See a.\n");
        world.until_mentions("b", &["a"]);
    }
}
