//! `R` on the real screen: the engine's analysis arrives, neighbours are visited and picked, the map is filtered.

use super::demo;

#[test]
fn the_graph_is_walked_and_a_neighbour_picked() {
    let mut pty = demo(120, 36);
    pty.type_bytes("/pat-circuit-breaker\r");
    pty.wait_for("pat-circuit-breaker");
    pty.type_bytes("R");
    pty.wait_for("[Neighbours]");
    pty.wait_for("mentioned by 1");
    pty.type_bytes(" ");
    pty.wait_for("2 picked");
    pty.type_bytes(" ");
    pty.wait_for("1 picked");
    pty.type_bytes("h");
    pty.wait_for("mentions @pat-circuit-breaker by");
    pty.type_bytes("\t");
    pty.wait_for("[Map");
    pty.wait_for("own");
    pty.type_bytes("/circuit\r");
    pty.wait_until("only matching rows", |seen| !seen.text().contains("house-rules"));
    pty.type_bytes("R");
    pty.wait_for("1 Catalog");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
