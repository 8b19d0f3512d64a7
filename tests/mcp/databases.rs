//! The tools for documented databases: listed only if there are any; they name every table, and quote only selected
//! sources.

use boon::{Compiler, Schemas};
use serde_json::{Value, json};

use crate::cli::tables::{documented, twins};
use crate::mcp::world::workspace;
use crate::support::client::{Client, LEGACY};
use crate::support::workspace::Workspace;

const TOOLS: [&str; 7] = [
    "search_tables",
    "get_table_schema",
    "get_join_path",
    "get_domain_overview",
    "list_domains",
    "get_common_relationships",
    "get_column_usage",
];

fn names(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({}))["result"]["tools"].clone();
    list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn said(client: &mut Client, tool: &str, arguments: Value) -> String {
    let result = client.result(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_tools_are_listed_if_databases_are_documented() {
    let mut client = Client::connect(&workspace());
    assert!(names(&mut client).iter().all(|name| !TOOLS.contains(&name.as_str())));
    let (code, message) = client.refused("get_table_schema", json!({"table": "x"}));
    assert_eq!(code, -32602);
    assert!(message.contains("this workspace has none, or the profile leaves them out"), "{message}");
    let world = documented();
    let mut client = Client::connect(&world);
    let listed = names(&mut client);
    assert_eq!(listed[8..], TOOLS, "{listed:?}");
    for (source, expected) in [("db-shop-invoice", TOOLS.len()), ("own", 0)] {
        let own = json!({"id": "own", "name": "Own", "type": "inline", "content": "x"});
        let sources = if source == "own" { own } else { json!(source) };
        let profile = json!({"name": "few", "plugin_configs": {"references": {"sources": [sources]}}});
        world.put(".jaato/profiles/few.json", profile.to_string().as_bytes());
        let mut client = Client::start(&world, &["--profile", "few"]);
        client.initialize(LEGACY, json!({}));
        assert_eq!(names(&mut client).len(), 8 + expected, "{source}");
    }
    world.configure(json!({"version": "1.0", "exclude_tools": ["get_join_path", "search_tables"]}));
    let mut client = Client::connect(&world);
    let listed = names(&mut client);
    assert_eq!(
        listed[8..],
        ["get_table_schema", "get_domain_overview", "list_domains", "get_common_relationships", "get_column_usage"]
    );
    let (_, message) = client.refused("get_join_path", json!({"source_table": "a", "target_table": "b"}));
    assert!(message.contains("exclude_tools"), "{message}");
}

/// For what an agent may not read, the answer has one line that says how to select it.
#[test]
fn pages_of_other_sources_are_named_and_not_quoted() {
    let world = documented();
    world.run(&["index", "--words-only"]).exits(0);
    let mut client = Client::connect(&world);
    let found = client.call("search_tables", json!({"query": "support rep of a customer", "database": "shop"}));
    let first = &found["tables"][0];
    assert_eq!(
        (&first["table"], &first["domain"], &first["source_id"], &first["readable"]),
        (&json!("main.Customer"), &json!("invoice"), &json!("db-shop-invoice"), &json!(false)),
        "{found}"
    );
    assert!(first["description"].as_str().unwrap().starts_with("Table “customer”"), "{first}");
    assert!(first.get("columns").is_none(), "{first}");
    let hint = found["hint"].as_str().unwrap();
    assert!(hint.contains("select their sources: selectReferences with ids [\"db-shop-invoice\""), "{hint}");
    for (tool, arguments) in [
        ("get_table_schema", json!({"table": "shop.main.Customer", "include_samples": true})),
        ("get_join_path", json!({"source_table": "Customer", "target_table": "Track"})),
        ("get_domain_overview", json!({"domain": "invoice"})),
        ("list_domains", json!({})),
        ("get_common_relationships", json!({"database": "shop"})),
        ("get_column_usage", json!({"column_name": "supportrepid"})),
        ("search_tables", json!({"query": "customer support rep", "limit": 20})),
    ] {
        let answer = client.call(tool, arguments).to_string();
        quotes_nothing(tool, &answer);
        let names_no_table = ["list_domains", "get_common_relationships"].contains(&tool);
        assert!(answer.contains("main.Customer") || names_no_table, "{tool}: {answer}");
    }
    let most = client.call("get_common_relationships", json!({"database": "shop"}));
    assert_eq!((&most["relationships"], &most["total"]), (&json!([]), &json!(11)), "{most}");
    assert_eq!(most["relationships_left_out"], most["total"], "{most}");
    let domain = client.call("get_domain_overview", json!({"domain": "invoice", "database": "shop"}));
    assert!(domain["relationships_left_out"].as_u64().is_some_and(|count| count > 0), "{domain}");
    assert!(most["select"].to_string().contains("db-shop-invoice"), "{most}");
    for (tool, arguments) in [
        ("get_table_schema", json!({"table": "SupportRepI"})),
        ("get_join_path", json!({"source_table": "Customer", "target_table": "Artist", "max_hops": 2})),
        ("get_join_path", json!({"source_table": "Customer", "target_table": "shop.Employees"})),
        ("get_join_path", json!({"source_table": "Customer", "target_table": "north.Customers"})),
        ("get_join_path", json!({"source_table": "Customer", "target_table": "Orders"})),
        ("get_domain_overview", json!({"domain": "support"})),
        ("get_common_relationships", json!({"domain": "CustomerI"})),
        ("get_column_usage", json!({"column_name": "supportrep"})),
        ("search_tables", json!({"query": "customer support rep", "database": "supportrep"})),
    ] {
        quotes_nothing(tool, &said(&mut client, tool, arguments));
    }
    assert_eq!(reads(&world), 0);

    client.call("selectReferences", json!({"ids": ["db-shop-invoice"]}));
    let schema = client.call("get_table_schema", json!({"table": "shop.main.Customer"}));
    let rep = schema["columns"].as_array().unwrap().iter().find(|column| column["name"] == "SupportRepId").unwrap();
    assert_eq!((&rep["type"], &rep["source"]), (&json!("INTEGER"), &json!("fallback")), "{rep}");
    assert!(schema["columns"].as_array().unwrap().iter().all(|column| column.get("statistics").is_none()), "{schema}");
    assert_eq!(schema["foreign_keys"][0]["referenced_table"], "main.Employee", "{schema}");
    let schema = client.call("get_table_schema", json!({"table": "shop.main.Customer", "include_samples": true}));
    assert!(schema["columns"].as_array().unwrap().iter().any(|column| column.get("statistics").is_some()), "{schema}");
    // One readable page of a join is enough. This path has a join without any.
    let paths = client.call("get_join_path", json!({"source_table": "Customer", "target_table": "Track"}));
    let hops = paths["paths"][0]["hops"].as_array().unwrap();
    assert_eq!(hops.len(), 3, "{paths}");
    assert!(hops.iter().all(|hop| hop["on_clause"].is_string()), "{paths}");
    let further = client.call("get_join_path", json!({"source_table": "Customer", "target_table": "Artist"}));
    let hops = further["paths"][0]["hops"].as_array().unwrap();
    assert!(hops[0]["on_clause"].is_string() && hops.last().unwrap().get("on_clause").is_none(), "{further}");
    assert!(further["paths"][0].get("sql_snippet").is_none(), "{further}");
    assert_eq!(further["select"], json!(["db-shop-artist", "db-shop-track"]), "{further}");
    let usage = client.call("get_column_usage", json!({"column_name": "TrackId"}));
    let reported: Vec<(&str, bool)> = usage["usage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["table"].as_str().unwrap(), it["type"].is_string()))
        .collect();
    assert_eq!(reported, [("main.InvoiceLine", true), ("main.PlaylistTrack", false), ("main.Track", false)], "{usage}");
    assert!(reads(&world) >= 4);
    let journal = world.run(&["journal"]).exits(0);
    let last = journal.text().lines().rfind(|line| line.contains("get_table_schema")).unwrap().to_owned();
    let line: Value = serde_json::from_str(&last).unwrap();
    assert_eq!((&line["what"], &line["about"]), (&json!("read"), &json!(["db-shop-invoice"])), "{line}");
    assert!(line["tokens"].as_u64().unwrap() > 0, "{line}");

    world.run(&["exclude", "db-shop-track"]).exits(0);
    let domains = client.call("list_domains", json!({"database": "shop"})).to_string();
    assert!(!domains.contains("db-shop-track"), "what a person excluded is not offered: {domains}");
    let none = said(&mut client, "get_table_schema", json!({"table": "Track"}));
    assert!(none.contains("a person excluded the source of the table 'Track'"), "{none}");
}

/// Fails if the answer contains a column name of the databases that is not a word of a table's name.
fn quotes_nothing(tool: &str, answer: &str) {
    let secrets =
        ["SupportRepId", "NVARCHAR", "CustomerId", "CustomerID", "TrackId", "AlbumId", "InvoiceLineId", "UnitPrice"];
    for secret in secrets {
        assert!(!answer.contains(secret), "{tool} quotes {secret}: {answer}");
    }
}

/// Tables near two tables without a path come from their pages, too.
#[test]
fn an_error_quotes_only_pages_that_may_be_read() {
    let world = twins();
    let mut client = Client::connect(&world);
    let schema = |client: &mut Client, table: &str| {
        let answer = client.call("get_table_schema", json!({"table": table}));
        answer["source_id"].as_str().unwrap().to_owned()
    };
    let [item, orders, alone] = ["one.item", "one.orders", "one.alone"].map(|name| schema(&mut client, name));
    let ends = json!({"source_table": "one.orders", "target_table": "alone"});
    let text = said(&mut client, "get_join_path", ends.clone());
    assert!(text.contains("no path of at most 6 joins leads from main.orders to main.alone"), "{text}");
    for secret in ["region", "item", "is joined with"] {
        let ids = [&item, &orders, &alone].into_iter().fold(text.clone(), |text, id| text.replace(id.as_str(), ""));
        assert!(!ids.contains(secret), "{secret}: {text}");
    }
    assert!(text.contains("select their sources") && text.contains(&orders) && text.contains(&alone), "{text}");
    assert_eq!(reads(&world), 0);
    let all: Vec<&String> = [&item, &orders, &alone].into_iter().collect();
    client.call("selectReferences", json!({"ids": all}));
    let text = said(&mut client, "get_join_path", ends);
    assert!(text.contains("columns with the same name and type: main.item.region and main.alone.region"), "{text}");
    assert!(text.contains("main.alone has no joins") && !text.contains("select their sources"), "{text}");
    let journal = world.run(&["journal"]).exits(0);
    let last = journal.text().lines().rfind(|line| line.contains("get_join_path")).unwrap().to_owned();
    assert!(
        last.contains("\"read\"") && [&item, &orders, &alone].iter().all(|id| last.contains(id.as_str())),
        "{last}"
    );
}

/// The names of databases and domains come from pages, too.
#[test]
fn excluded_sources_are_not_named() {
    let world = documented();
    world.run(&["index", "--words-only"]).exits(0);
    let mut client = Client::connect(&world);
    let north = client.call("list_domains", json!({"database": "north"}));
    let north: Vec<(String, String)> = north["domains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["source_id"].as_str().unwrap().to_owned(), it["domain"].as_str().unwrap().to_owned()))
        .collect();
    let ids: Vec<&str> = north.iter().map(|(id, _)| id.as_str()).collect();
    world.run(&[&["exclude"], ids.as_slice()].concat()).exits(0);
    let shop = client.call("list_domains", json!({})).to_string();
    assert!(!shop.contains("north"), "{shop}");
    for (tool, arguments) in [
        ("list_domains", json!({"database": "nort"})),
        ("list_domains", json!({"database": "zzz"})),
        ("search_tables", json!({"query": "region", "database": "nort"})),
        ("search_tables", json!({"query": "region", "database": "zzz"})),
        ("search_tables", json!({"query": "region", "domain": "zzz"})),
        ("search_tables", json!({"query": "region", "domain": "regio"})),
        ("get_domain_overview", json!({"domain": "zzz"})),
        ("get_domain_overview", json!({"domain": "regio"})),
        ("get_common_relationships", json!({"domain": "zzz"})),
        ("get_column_usage", json!({"column_name": "RegionID", "domain": "zzz"})),
        ("get_column_usage", json!({"column_name": "RegionI"})),
        ("get_table_schema", json!({"table": "Shipper"})),
        ("get_join_path", json!({"source_table": "Track", "target_table": "Shipper"})),
    ] {
        let text = said(&mut client, tool, arguments.clone());
        let hidden = |name: &str| !text.contains(&format!("'{name}'")) && !text.contains(&format!(" {name}"));
        assert!(hidden("north") && !text.contains("db-north"), "{tool} {arguments}: {text}");
        for (_, domain) in north.iter().filter(|(_, domain)| !shop.contains(&format!("\"{domain}\""))) {
            assert!(hidden(domain), "{tool} {arguments} names {domain}: {text}");
        }
        assert!(!text.contains("Shippers") && !text.contains("'RegionID'"), "{tool} {arguments}: {text}");
    }
    // Asked for one of them, no tool denies that it exists.
    let domain =
        north.iter().map(|(_, domain)| domain).find(|domain| !shop.contains(&format!("\"{domain}\""))).unwrap();
    let of_domain = format!("a person excluded the source of the domain '{domain}'");
    let of_database = "a person excluded the sources of the database 'north'";
    for (tool, arguments, expected) in [
        ("get_domain_overview", json!({"domain": domain}), of_domain.as_str()),
        ("get_domain_overview", json!({"domain": format!("north.{domain}")}), of_database),
        ("get_common_relationships", json!({"domain": domain}), &of_domain),
        ("list_domains", json!({"database": "North"}), of_database),
        ("search_tables", json!({"query": "region", "database": "north"}), of_database),
        ("get_column_usage", json!({"column_name": "RegionID"}), "no table that may be shown has a column 'RegionID'"),
    ] {
        let text = said(&mut client, tool, arguments.clone());
        assert!(text.contains(expected), "{tool} {arguments}: {text}");
    }
    let all = client.call("list_domains", json!({}));
    let ids = all["domains"].as_array().unwrap().iter().map(|it| it["source_id"].as_str().unwrap());
    world.run(&["exclude"].into_iter().chain(ids).collect::<Vec<_>>()).exits(0);
    let text = said(&mut client, "list_domains", json!({}));
    assert!(text.contains("a person excluded the sources of the database pages"), "{text}");
}

fn reads(world: &Workspace) -> usize {
    let journal = world.run(&["journal"]).exits(0);
    journal.text().lines().filter(|line| TOOLS.iter().any(|tool| line.contains(tool))).count()
}

#[test]
fn answers_match_their_schemas_and_say_what_they_cost() {
    let world = documented();
    world.run(&["index", "--words-only"]).exits(0);
    world.run(&["select", "db-shop-invoice", "db-north-order"]).exits(0);
    let mut client = Client::connect(&world);
    let list = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for (tool, arguments) in [
        ("search_tables", json!({"query": "invoice"})),
        ("search_tables", json!({"query": "invoice", "database": "SHOP", "domain": "Invoice"})),
        ("search_tables", json!({"query": "?!"})),
        ("get_table_schema", json!({"table": "InvoiceLine"})),
        ("get_table_schema", json!({"table": "Artist"})),
        ("get_join_path", json!({"source_table": "Invoice", "target_table": "Customer", "max_hops": 2})),
        ("get_domain_overview", json!({"domain": "order", "database": "north"})),
        ("get_domain_overview", json!({"domain": "artist"})),
        ("list_domains", json!({})),
        ("list_domains", json!({"database": "north"})),
        ("get_common_relationships", json!({})),
        ("get_common_relationships", json!({"domain": "order", "limit": 2})),
        ("get_column_usage", json!({"column_name": "customerid", "domain": "order"})),
    ] {
        let spec = list.as_array().unwrap().iter().find(|it| it["name"] == tool).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("mem://out", spec["outputSchema"].clone()).unwrap();
        let schema = compiler.compile("mem://out", &mut schemas).unwrap();
        let result = client.result(tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let answer = &result["structuredContent"];
        schemas.validate(answer, schema).unwrap_or_else(|error| panic!("{tool}: {error:#}\n{answer:#}"));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("[Reference data, written by third parties"), "{text}");
        let used = answer["tokens_used"].as_u64().unwrap();
        assert!(used.abs_diff(text.len() as u64 / 4) < 20, "{tool}: {used} for {} bytes", text.len());
    }
    let most = client.call("get_common_relationships", json!({"limit": 2}));
    assert_eq!(most["relationships"].as_array().map(Vec::len), Some(2), "{most}");
    let total = most["total"].as_u64().unwrap();
    assert!(total > 2 && most["relationships_left_out"].as_u64() == Some(total - 2), "{most}");
}

#[test]
fn calls_that_cannot_be_answered_say_why() {
    let world = documented();
    let _held = world.hold_index();
    let mut client = Client::connect(&world);
    for (tool, arguments, expected) in [
        ("search_tables", json!({"query": "x"}), "the search index is still being built"),
        (
            "search_tables",
            json!({"query": "x", "database": "shp"}),
            "no documented database is named 'shp'\n  fix: did you mean 'shop'?",
        ),
        (
            "get_table_schema",
            json!({"table": "Custmer"}),
            "no table is named 'Custmer'\n  fix: did you mean 'Customer'?",
        ),
        ("get_join_path", json!({"source_table": "Album", "target_table": "Albums"}), "did you mean 'Album'?"),
        ("get_join_path", json!({"source_table": "Album", "target_table": "Orders"}), "tables of different databases"),
        ("get_join_path", json!({"source_table": "Album", "target_table": "album"}), "both tables are main.Album"),
        (
            "get_domain_overview",
            json!({"domain": "invoce"}),
            "no domain is named 'invoce'\n  fix: did you mean 'invoice'?",
        ),
        (
            "get_domain_overview",
            json!({"domain": "invoice", "database": "north"}),
            "no domain of 'north' is named 'invoice'",
        ),
        ("list_domains", json!({"database": "zzz"}), "the databases are north, shop"),
        (
            "get_column_usage",
            json!({"column_name": "zzz"}),
            "no table has a column 'zzz'\n  fix: search_tables with query \"zzz\" looks for similar ones",
        ),
        ("get_column_usage", json!({"column_name": ""}), "fix: name a column"),
        (
            "get_join_path",
            json!({"source_table": "Customer", "target_table": "Artist", "max_hops": 2}),
            "\"max_hops\": ",
        ),
        ("get_common_relationships", json!({"domain": "zzz"}), "the domains are artist, customer, employee"),
    ] {
        let text = said(&mut client, tool, arguments);
        assert!(text.contains(expected), "{tool}: {text}");
    }
    for (tool, arguments) in [
        ("search_tables", json!({})),
        ("search_tables", json!({"query": "x", "limit": 21})),
        ("get_table_schema", json!({"tabel": "x"})),
        ("get_join_path", json!({"source_table": "x", "target_table": "y", "max_hops": 7})),
        ("get_common_relationships", json!({"limit": 0})),
    ] {
        let (code, message) = client.refused(tool, arguments);
        assert_eq!(code, -32602, "{message}");
    }
}

/// Removes null and empty members, which agents do not get.
fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(without_nothing);
            members.retain(|_, value| !matches!(value, Value::Null) && !matches!(value.as_str(), Some("")));
            members.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        }
        Value::Array(items) => items.iter_mut().for_each(without_nothing),
        _ => {}
    }
}

#[test]
fn a_command_gives_the_same_answer_as_its_tool() {
    let world = documented();
    let listed = world.json(&["list"], 0);
    let sources: Vec<&str> =
        listed["sources"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    world.run(&[&["select"], sources.as_slice()].concat()).exits(0);
    let mut client = Client::connect(&world);
    for (words, tool, arguments) in [
        (&["show", "Customer"][..], "get_table_schema", json!({"table": "Customer", "include_samples": true})),
        (&["path", "Artist", "Invoice"], "get_join_path", json!({"source_table": "Artist", "target_table": "Invoice"})),
        (
            &["path", "Artist", "Track", "--max-hops", "2"],
            "get_join_path",
            json!({"source_table": "Artist", "target_table": "Track", "max_hops": 2}),
        ),
        (&["domain", "invoice"], "get_domain_overview", json!({"domain": "invoice"})),
        (&["domain", "shop.invoice"], "get_domain_overview", json!({"domain": "shop.invoice"})),
        (&["domains"], "list_domains", json!({})),
        (&["joins", "--limit", "3"], "get_common_relationships", json!({"limit": 3})),
        (&["usage", "trackid"], "get_column_usage", json!({"column_name": "trackid"})),
    ] {
        let mut of_command = world.run(&[&["db"], words, &["--json"]].concat()).exits(0).json();
        let mut of_tool = client.call(tool, arguments);
        for answer in [&mut of_command, &mut of_tool] {
            let members = answer.as_object_mut().unwrap();
            // The texts around the answer differ, and so does their cost.
            for name in ["tokens_used", "notice", "diagnostics"] {
                members.remove(name);
            }
            without_nothing(answer);
        }
        assert_eq!(of_command, of_tool, "{words:?}");
        assert!(of_tool.as_object().is_some_and(|members| !members.is_empty()), "{of_tool}");
    }
}
