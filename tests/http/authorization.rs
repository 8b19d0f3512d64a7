//! Authorization of requests. Every combination of host, origin and token is tested next to the check; these tests show
//! that it applies to every method before anything else.

use crate::http::client::{Client, USUAL, initialize};
use crate::http::server::{Server, world};

const TOKEN: &str = "a-secret-of-sixteen-or-more";

/// A POST with its own `Host` header.
fn as_host(client: &mut Client, host: &str, headers: &str) -> u16 {
    let body = initialize().to_string();
    let length = body.len();
    client.send(format!("POST /mcp HTTP/1.1\r\n{host}{USUAL}{headers}Content-Length: {length}\r\n\r\n{body}"));
    client.answer().status
}

#[test]
fn a_foreign_host_or_origin_is_refused() {
    let server =
        Server::start(&["--allow-host", "desk.example.org", "--allow-origin", "https://app.example.org"], None);
    let own = server.address;
    // A name that was rebound to this server has the right port.
    let rebound = format!("Host: evil.example:{}\r\n", own.port());
    for (host, headers, status) in [
        (format!("Host: {own}\r\n"), String::new(), 200),
        (format!("Host: localhost:{}\r\n", own.port()), String::new(), 200),
        ("Host: desk.example.org\r\n".to_owned(), String::new(), 200),
        (format!("Host: {own}\r\n"), format!("Origin: http://{own}\r\n"), 200),
        (format!("Host: {own}\r\n"), "Origin: https://app.example.org\r\n".to_owned(), 200),
        (rebound.clone(), String::new(), 403),
        (rebound.clone(), format!("Origin: http://evil.example:{}\r\n", own.port()), 403),
        (format!("Host: {own}\r\n"), "Origin: http://evil.example\r\n".to_owned(), 403),
        (format!("Host: {own}\r\n"), "Origin: null\r\n".to_owned(), 403),
        (String::new(), String::new(), 400),
    ] {
        assert_eq!(as_host(&mut server.client(), &host, &headers), status, "{host} {headers}");
    }
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        server.client().ask(method, "/mcp", "Origin: http://evil.example\r\n").is(403);
    }
}

#[test]
fn an_allowed_page_may_read_the_answer() {
    let server = Server::start(&["--allow-origin", "https://app.example.org"], Some(TOKEN));
    let page = "Origin: https://app.example.org\r\n";
    let leave =
        server.client().ask("OPTIONS", "/mcp", &format!("{page}Access-Control-Request-Method: POST\r\n")).is(204);
    assert_eq!(leave.header("access-control-allow-origin"), Some("https://app.example.org"));
    assert!(leave.header("access-control-allow-headers").unwrap().contains("mcp-session-id"));
    let answer =
        server.client().post(&format!("{page}Authorization: Bearer {TOKEN}\r\n"), &initialize().to_string()).is(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.org"));
    assert!(answer.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
}

#[test]
fn a_token_is_required_on_the_loopback_too_once_set() {
    let server = Server::start(&[], Some(TOKEN));
    for (headers, status) in [
        (format!("Authorization: Bearer {TOKEN}\r\n"), 200),
        (String::new(), 401),
        (format!("Authorization: Bearer {TOKEN}x\r\n"), 401),
        (format!("Authorization: Basic {TOKEN}\r\n"), 401),
    ] {
        let answer = server.client().post(&headers, &initialize().to_string()).is(status);
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401, "{answer:?}");
    }
    for method in ["GET", "DELETE", "PUT"] {
        server.client().ask(method, "/mcp", "").is(401);
    }
}

#[test]
fn without_a_token_it_listens_only_on_the_loopback() {
    let world = world();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nonsense", "127.0.0.1", "127.0.0.1:99999"] {
        let ran = world.run(&["mcp", "--http", address]).exits(2);
        assert!(ran.stderr.starts_with("error: "), "{ran}");
    }
    let document = world.json(&["mcp", "--http", "0.0.0.0:0"], 2);
    assert!(document["error"]["hint"].as_str().unwrap().contains("REFDESK_MCP_TOKEN"), "{document}");
    for words in [["--allow-host", "a b"], ["--allow-origin", "*"]] {
        world.run(&[&["mcp", "--http", "127.0.0.1:0"], words.as_slice()].concat()).exits(2);
    }
}

#[test]
fn only_one_path_and_three_methods() {
    let server = Server::start(&[], None);
    for path in ["/", "/mcp/", "/MCP", "/mcp/..", "/sse", "/.well-known/oauth-protected-resource"] {
        server.client().ask("GET", path, "").is(404);
    }
    for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "NONSENSE"] {
        let answer = server.client().ask(method, "/mcp", "").is(405);
        assert_eq!(answer.header("allow"), Some("post, get, delete"));
    }
}

#[test]
fn an_address_in_use_is_reported() {
    let server = Server::start(&[], None);
    let ran = server.world.run(&["mcp", "--http", &server.address.to_string()]).exits(1);
    assert!(ran.stderr.contains(&server.address.to_string()), "{ran}");
}
