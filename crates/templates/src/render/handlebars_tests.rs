//! Handlebars as a table: template, and the output or the error (after `✗`).

use serde_json::{Value, json};

use super::{RenderJob, render};
use crate::Syntax;

fn outcome(text: &str, values: &Value, html: bool) -> String {
    match render(&RenderJob { html, ..RenderJob::new(text, Syntax::Handlebars, values.clone()) }) {
        Ok(rendered) => rendered.text,
        Err(error) => format!("✗ {error}"),
    }
}

#[test]
fn the_root_is_printed_as_a_whole() {
    let values = json!({"a": 1, "o": {}});
    for text in ["{{@root}}", "{{this}}", "{{..}}", "{{#with a}}{{~ @root ~}}{{/with}}", "{{#with a}}{{{..}}}{{/with}}"]
    {
        assert_eq!(outcome(text, &values, false), r#"{"a":1,"o":{}}"#, "{text}");
    }
}

#[test]
fn handlebars() {
    let values = json!({
        "name": "Order", "n": 5, "f": 1.5, "yes": true, "no": false, "zero": 0, "e": "", "nil": null, "none": [],
        "xs": ["p", "q"], "user": {"name": "Ann", "tags": ["a", "b"]}, "html": "<&\">", "empty": {},
        "rows": [{"n": 1, "ok": true, "kids": [{"k": "x"}]}, {"n": 2, "ok": false, "kids": []}], "a-b": "dash",
        "nested": [[1, 2], [3]], "index": 7,
    });
    for (text, expected) in [
        ("class {{name}}\n", "class Order\n"),
        ("{{n}} {{f}} {{yes}} {{no}} {{zero}} [{{e}}] [{{nil}}]", "5 1.5 true false 0 [] []"),
        ("{{xs}}{{user}}{{none}}{{empty}}", "[\"p\",\"q\"]{\"name\":\"Ann\",\"tags\":[\"a\",\"b\"]}[]{}"),
        ("{{html}} {{{html}}} {{&html}}", "<&\"> <&\"> <&\">"),
        ("{{user.name}} {{user/name}} {{this.user.name}} {{./name}}", "Ann Ann Ann Order"),
        ("{{xs.[0]}}{{xs.1}}", "pq"),
        ("{{a-b}} {{[a-b]}}", "dash dash"),
        ("{{#if yes}}a{{else}}b{{/if}}", "a"),
        ("{{#if no}}a{{else}}b{{/if}}", "b"),
        ("{{#if zero}}a{{else}}b{{/if}}{{#if zero includeZero=true}}a{{else}}b{{/if}}", "ba"),
        ("{{#if e}}a{{/if}}{{#if none}}b{{/if}}{{#if nil}}c{{/if}}{{#if gone}}d{{/if}}|", "|"),
        ("{{#if gone.deep.er}}d{{else}}x{{/if}}", "x"),
        ("{{#unless gone}}d{{/unless}}{{#unless yes}}e{{else}}f{{/unless}}", "df"),
        ("{{^if gone}}a{{/if}}{{^ if yes}}b{{else}}c{{/if}}{{^unless yes}}d{{/unless}}", "acd"),
        ("{{#if no}}1{{else if yes}}2{{else}}3{{/if}}", "2"),
        ("{{#if no}}1{{else if zero}}2{{else}}3{{/if}}", "3"),
        ("{{#if no}}1{{else if no}}2{{else if yes}}3{{/if}}", "3"),
        ("{{#if no}}a{{^}}b{{/if}}", "b"),
        ("{{#if \"x\"}}y{{/if}}{{#if true}}z{{/if}}", "yz"),
        ("{{#each xs}}{{@index}}{{this}}{{#unless @last}},{{/unless}}{{/each}}", "0p,1q"),
        ("{{#each xs}}{{@first}} {{.}};{{/each}}", "true p;false q;"),
        ("{{#each xs}}{{ . }}{{~.~}}{{{.}}}{{&.}}{{/each}}", "ppppqqqq"),
        ("{{#each rows}}{{n}}{{#each kids}}{{k}}{{../n}}{{../../name}}{{/each}};{{/each}}", "1x1Order;2;"),
        ("{{#each user}}{{@key}}={{this}};{{/each}}", "name=Ann;tags=[\"a\",\"b\"];"),
        ("{{#each xs}}{{@key}}={{this}};{{#if @key}}{{@key}}{{/if}}{{/each}}{{#xs}}{{@key}}{{/xs}}", "0=p;1=q;101"),
        ("{{#with user}}{{#each tags}}{{this}}{{#with ..}}{{name}}{{/with}}{{/each}}{{../n}}{{/with}}", "aAnnbAnn5"),
        (
            "{{#with user}}{{#with tags}}{{..}}{{#each ..}}{{@key}} {{/each}}{{#with ../..}}{{n}}{{/with}}{{/with}}{{/with}}",
            "{\"name\":\"Ann\",\"tags\":[\"a\",\"b\"]}name tags 5",
        ),
        ("{{#with user}}{{#with @root}}{{name}}{{/with}}{{#if no}}{{else with ..}}{{n}}{{/if}}{{/with}}", "Order5"),
        ("{{#each nested}}{{#each .}}{{@../key}}{{@key}} {{/each}}{{/each}}", "00 01 10 "),
        ("{{@key}}", "✗ undefined variable '@key' at line 1"),
        ("{{#if @root.key}}a{{else}}b{{/if}}{{@root.index}}", "b7"),
        ("{{@root.key}}", "✗ undefined variable '@root.key' at line 1"),
        ("{{#with user as |u k|}}{{u.name}}{{/with}}", "Ann"),
        ("{{#with xs as |x i|}}{{i}}{{/with}}", "✗ a list has no field 'i' at line 1"),
        ("{{#each as |x|}}{{x}}{{/each}}", "✗ 'each' at line 1 takes one value, not 0"),
        ("{{#each none}}x{{else}}empty{{/each}}{{#each empty}}{{else}}e{{/each}}", "emptye"),
        ("{{#each nil}}x{{/each}}|{{#each e}}x{{/each}}|{{#each name}}x{{/each}}", "||"),
        ("{{#each rows as |row i|}}{{i}}:{{row.n}} {{/each}}", "0:1 1:2 "),
        ("{{#each xs as |x|}}{{x}}{{/each}}", "pq"),
        ("{{#each rows as |name|}}{{../name}}={{name.n}};{{/each}}", "Order=1;Order=2;"),
        ("{{#each rows as |row n|}}{{this.n}}{{./n}}{{this/n}}{{[n]}} {{/each}}", "1110 2221 "),
        ("{{#with user as |xs|}}{{../xs}}{{@root.n}}{{xs.name}}{{[xs].tags.length}}{{/with}}", "[\"p\",\"q\"]5Ann2"),
        ("{{#each none as |n|}}{{else}}{{n}}{{/each}}", "5"),
        ("{{#each nested}}{{#each .}}{{this}}{{/each}};{{/each}}", "12;3;"),
        ("{{#each user.tags}}{{this}}{{@root.name}}{{/each}}", "aOrderbOrder"),
        ("{{#if yes}}{{#each xs}}{{this}}{{/each}}{{/if}}", "pq"),
        ("{{#with user}}{{name}} {{../name}} {{@root.n}}{{/with}}", "Ann Order 5"),
        ("{{#with nil}}x{{else}}y{{/with}}{{#with nil}}x{{/with}}", "y"),
        ("{{#with user as |u|}}{{u.name}}{{/with}}", "Ann"),
        ("{{#rows}}{{n}}{{@index}}{{@last}} {{/rows}}", "10false 21true "),
        ("{{#user.tags}}{{this}}{{/user.tags}}", "ab"),
        (
            "{{#user}}{{name}}{{/user}}{{#yes}}{{name}}{{/yes}}{{#no}}x{{else}}y{{/no}}{{#none}}x{{else}}z{{/none}}{{#name}}{{this}}{{/name}}",
            "AnnOrderyzOrder",
        ),
        ("{{#f}}{{this}}{{/f}}{{#zero}}{{this}}{{/zero}}{{#nil}}x{{else}}y{{/nil}}", "1.50y"),
        ("{{^no}}x{{/no}}{{^yes}}x{{else}}y{{/yes}}{{^gone}}z{{/gone}}", "xyz"),
        ("{{#rows}}{{n}}{{^kids}}-{{/kids}}{{#kids}}{{k}}{{/kids}}{{/rows}}", "1x2-"),
        ("x\n{{#if yes}}\n  y\n{{/if}}\nz\n", "x\n  y\nz\n"),
        ("x\r\n{{#if yes}}\r\ny\r\n{{/if}}\r\nz\r\n", "x\r\ny\r\nz\r\n"),
        ("  {{#each xs}}\n  - {{this}}\n  {{/each}}\nend\n", "  - p\n  - q\nend\n"),
        ("x\n{{#user}}\n{{name}}\n{{/user}}\ny\n", "x\nAnn\ny\n"),
        ("a {{~#if yes~}} b {{~/if~}} c", "abc"),
        ("a  {{~ name ~}}  b", "aOrderb"),
        ("{{~#xs~}} {{.}} {{~/xs~}} ", "pq"),
        ("{{! c }}a{{!-- {{^no}} {{.}} --}}c\n{{! alone }}\nd\n", "ac\nd\n"),
        ("\\{{name}} {{name}}", "{{name}} Order"),
        ("\\\\{{name}}", "\\Order"),
        ("/* @generated {{nope}} */\nx", "x"),
        ("{{gone}}", "✗ undefined variable 'gone' at line 1 (did you mean 'none'?)"),
        ("\n{{nam}}", "✗ undefined variable 'nam' at line 2 (did you mean 'name'?)"),
        ("{{user.nam}}", "✗ undefined variable 'user.nam' at line 1 (did you mean 'user.name'?)"),
        ("{{usr.name}}", "✗ undefined variable 'usr.name' at line 1 (did you mean 'user'?)"),
        ("{{#each rows}}\n{{name}}{{/each}}", "✗ undefined variable 'name' at line 2 (did you mean '../name'?)"),
        ("{{#each rows}}{{m}}{{/each}}", "✗ undefined variable 'm' at line 1"),
        ("{{#with user}}{{nme}}{{/with}}", "✗ undefined variable 'nme' at line 1 (did you mean 'name'?)"),
        ("{{@gone}}", "✗ undefined variable '@gone' at line 1"),
        ("{{this.nam}}", "✗ undefined variable 'this.nam' at line 1 (did you mean 'this.name'?)"),
        ("{{@root.nam}}", "✗ undefined variable '@root.nam' at line 1 (did you mean '@root.name'?)"),
        ("{{#each xs}}{{../gone}}{{/each}}", "✗ undefined variable '../gone' at line 1"),
        ("{{#each gone}}{{/each}}", "✗ undefined variable 'gone' at line 1 (did you mean 'none'?)"),
        ("{{#each row}}{{else}}x{{/each}}", "✗ undefined variable 'row' at line 1 (did you mean 'rows'?)"),
        ("{{#with usr}}x{{/with}}", "✗ undefined variable 'usr' at line 1 (did you mean 'user'?)"),
        ("{{#row}}x{{/row}}", "✗ undefined variable 'row' at line 1 (did you mean 'rows'?)"),
        ("{{#usr.tags}}x{{/usr.tags}}", "✗ undefined variable 'usr.tags' at line 1 (did you mean 'user'?)"),
        ("{{#each rows as |row|}}{{row.m}}{{/each}}", "✗ undefined variable 'row.m' at line 1"),
        ("{{#each\n xs}}{{this}}{{/each}}\n{{gone}}", "✗ undefined variable 'gone' at line 3 (did you mean 'none'?)"),
        ("# @generated\n\n{{gone}}", "✗ undefined variable 'gone' at line 3 (did you mean 'none'?)"),
        ("{{xs.len}}", "✗ a list has no field 'len' at line 1"),
        ("\n{{user.length}}", "✗ undefined variable 'user.length' at line 2"),
        ("{{#with n.length}}{{/with}}", "✗ undefined variable 'n.length' at line 1"),
        ("{{gone.length}}", "✗ undefined variable 'gone.length' at line 1 (did you mean 'none'?)"),
        ("{{#if yes~}}\n\n{{~gone}}{{/if}}", "✗ undefined variable 'gone' at line 3 (did you mean 'none'?)"),
        ("{{^each xs}}{{/each}}", "✗ '^each' at line 1 is not supported: write {{else}} in a block 'each'"),
        ("{{xs.9}}", "✗ undefined variable 'xs.9' at line 1"),
        ("{{name.x}}", "✗ undefined variable 'name.x' at line 1"),
        ("{{len}}", "✗ undefined variable 'len' at line 1"),
        ("{{lookup xs 0}}", "✗ helper 'lookup' at line 1 is not supported: the helpers are if, unless, each and with"),
        ("{{log name}}", "✗ helper 'log' at line 1 is not supported: the helpers are if, unless, each and with"),
        (
            "\n{{#if (eq n 5)}}x{{/if}}",
            "✗ helper 'eq' at line 2 is not supported: the helpers are if, unless, each and with",
        ),
        (
            "{{#each (lookup user 'tags')}}x{{/each}}",
            "✗ helper 'lookup' at line 1 is not supported: the helpers are if, unless, each and with",
        ),
        ("{{upper name}}", "✗ helper 'upper' at line 1 is not supported: the helpers are if, unless, each and with"),
        ("{{#eq n 5}}x{{/eq}}", "✗ helper 'eq' at line 1 is not supported: the helpers are if, unless, each and with"),
        ("{{name x=1}}", "✗ helper 'name' at line 1 is not supported: the helpers are if, unless, each and with"),
        (
            "\n{{#user.tags as |tag i|}}{{tag}}{{/user.tags}}",
            "✗ '{{#user.tags as |tag i|}}' at line 2 is not supported: write {{#each user.tags as |tag i|}}, or {{#with user.tags as |tag i|}} for an object",
        ),
        ("{{(len xs)}}", "✗ helper 'len' at line 1 is not supported: the helpers are if, unless, each and with"),
        ("{{> part}}", "✗ partial 'part' at line 1 is not supported: only Mustache templates have partials"),
        (
            "\n{{#> layout}}x{{/layout}}",
            "✗ partial 'layout' at line 2 is not supported: only Mustache templates have partials",
        ),
        ("{{* deco}}", "✗ decorator 'deco' at line 1 is not supported: a template cannot define anything"),
        (
            "{{#*inline \"x\"}}y{{/inline}}",
            "✗ decorator 'inline' at line 1 is not supported: a template cannot define anything",
        ),
        (
            "{{{{raw}}}}{{x}}{{{{/raw}}}}",
            "✗ a raw block at line 1 is not supported: write \\{{ for braces that are not a tag",
        ),
        ("{{#if}}x{{/if}}", "✗ 'if' at line 1 takes one value, not 0"),
        ("{{#if a b}}x{{/if}}", "✗ 'if' at line 1 takes one value, not 2"),
        ("{{#each}}x{{/each}}", "✗ 'each' at line 1 takes one value, not 0"),
        ("\n{{#if yes}}", "✗ block 'if' opened at line 2 is never closed"),
        ("{{/if}}", "✗ block 'if' is closed at line 1 but was never opened"),
        ("{{#if yes}}{{/each}}", "✗ block 'if' of line 1 is closed by 'each' at line 1"),
        ("{{else}}", "✗ 'else' at line 1 is outside a block"),
        ("{{name", "✗ the tag opened at line 1 is never closed"),
        ("{{}}", "✗ empty tag at line 1"),
        ("\n{{#if yes}}{{else}}{{else}}{{/if}}", "✗ invalid Handlebars syntax at line 2"),
        ("\n{{name.}}", "✗ invalid Handlebars syntax at line 2"),
    ] {
        assert_eq!(outcome(text, &values, false), expected, "{text}");
    }
    assert_eq!(outcome("{{html}} {{{html}}} {{&html}}", &values, true), "&lt;&amp;&quot;&gt; <&\"> <&\">");
}

/// The expected results come from handlebars.js.
#[test]
fn white_space_length_and_truth() {
    let values = json!({
        "name": "Order", "n": 5, "yes": true, "no": false, "zero": 0, "e": "", "nil": null, "none": [], "empty": {},
        "xs": ["p", "q"], "user": {"name": "Ann", "tags": ["a", "b"]}, "nested": [[1, 2], [3]], "len": {"length": 7},
        "rows": [{"n": 1, "ok": true, "kids": [{"k": "x"}]}, {"n": 2, "ok": false, "kids": []}],
    });
    for (text, expected) in [
        ("{{#if yes~}}\n{{name}}\nB{{/if}}", "Order\nB"),
        ("{{#if yes~}}\n  {{name}}\n  {{name}}\n{{~/if}}\nEND", "Order\n  OrderEND"),
        ("{{#if no~}}\n{{/if~}}\n{{name}}\nEND", "Order\nEND"),
        ("{{#each xs~}}\n{{this}},\n{{/each}}\nEND", "p,\nq,\nEND"),
        ("{{#each xs}}\n  {{~this~}}\n{{/each}}\nEND", "pqEND"),
        ("x\n  {{#if yes~}}\n  y\n  {{~/if}}\nz", "x\nyz"),
        ("x\n  {{~#if yes}}\ny\n{{/if~}}  \n z", "xy\nz"),
        ("{{#if no~}}\n a\n{{~else~}}\n b\n{{~/if}}\n c", "b c"),
        ("{{#if no}}\na\n  {{~else if yes~}}  \n b \n{{~else}}\nc\n{{/if}}\nd", "bd"),
        ("{{name~}} {{! c }} {{~name}}", "OrderOrder"),
        ("{{name~}}\n{{! c }}\n{{name}}", "OrderOrder"),
        ("{{!-- c --~}}\n x", "x"),
        ("x \n{{~!-- }} --}} y", "x y"),
        ("{{~! c ~}}\n x", "x"),
        ("a {{~!-- c --~}} b", "ab"),
        ("a\n  {{!-- c\n d --}}  \nb", "a\nb"),
        ("a {{! c }}\nb", "a \nb"),
        ("{{~{name}~}} {{~&name~}} x", "OrderOrderx"),
        ("{{{name}}}\n{{~#if yes}}\n\n{{/if}}", "Order\n"),
        ("{{#if yes}}\nx\n{{/if}}  ", "x\n"),
        ("{{#if yes}}\na\n{{else}}\nb\n{{/if}}\t", "a\n"),
        ("\n\n {{~name~}} \r\n\r\n {{name}}", "OrderOrder"),
        ("{{#if yes}} \r\n\r\nx\r\n {{/if}}\r\ny", "\r\nx\r\ny"),
        ("\\{{name}} \\\\{{~name}} \\\\\\{{name}}", "{{name}} \\Order \\\\Order"),
        ("\\\\{{#if yes~}} a {{/if}}", "\\a "),
        ("{{#each rows}}{{#if ok~}} y {{~^~}} n {{/if}}{{/each}}", "yn "),
        ("{{xs.length}} {{name.length}} {{user.tags.length}} {{none.length}} {{this.xs.length}}", "2 5 2 0 2"),
        (
            "{{#if xs.length}}a{{/if}}{{#if none.length}}b{{else}}c{{/if}}{{#unless e.length}}d{{/unless}}{{#if n.length}}e{{/if}}",
            "acd",
        ),
        (
            "{{#each rows}}{{kids.length}}-{{../xs.length}}-{{@root.xs.length}} {{/each}}{{#with user}}{{tags.length}}{{/with}}",
            "1-2-2 0-2-2 2",
        ),
        (
            "{{#each nested as |l|}}{{l.length}}{{#if l.length}}y{{/if}}{{/each}}{{#with xs.length as |n|}}{{n}}{{/with}}",
            "2y1y2",
        ),
        ("{{len.length}}", "7"),
        (
            "{{#if empty}}a{{else}}b{{/if}}{{#with empty}}a{{else}}b{{/with}}{{#unless empty}}a{{else}}b{{/unless}}{{#empty}}a{{else}}b{{/empty}}{{^empty}}a{{else}}b{{/empty}}",
            "aabab",
        ),
        (
            "{{#if zero}}a{{else}}b{{/if}}{{#with zero}}{{this}}{{else}}b{{/with}}{{#unless zero}}a{{else}}b{{/unless}}{{#zero}}{{this}}{{else}}b{{/zero}}{{^zero}}a{{else}}b{{/zero}}",
            "b0a0b",
        ),
        (
            "{{#if zero includeZero=true}}a{{else}}b{{/if}}{{#unless zero includeZero=true}}a{{else}}b{{/unless}}{{#if zero includeZero=false}}a{{else}}b{{/if}}",
            "abb",
        ),
        (
            "{{#if none}}a{{else}}b{{/if}}{{#with none}}a{{else}}b{{/with}}{{#none}}a{{else}}b{{/none}}{{^none}}a{{else}}b{{/none}}",
            "bbba",
        ),
        (
            "{{#if e}}a{{else}}b{{/if}}{{#with e}}a{{else}}b{{/with}}{{#e}}a{{else}}b{{/e}}{{^e}}a{{else}}b{{/e}}",
            "bbab",
        ),
        (
            "{{#if nil}}a{{else}}b{{/if}}{{#with nil}}a{{else}}b{{/with}}{{#nil}}a{{else}}b{{/nil}}{{^nil}}a{{else}}b{{/nil}}",
            "bbba",
        ),
        (
            "{{#if gone.a.b}}a{{else}}b{{/if}}{{#if user.a.b}}a{{else}}b{{/if}}{{#if xs.a}}a{{else}}b{{/if}}{{#if name.a.b}}a{{else}}b{{/if}}{{#if nil.a}}a{{else}}b{{/if}}{{^xs.a}}c{{/xs.a}}",
            "bbbbbc",
        ),
        (
            "{{#each nested}}{{#if a}}x{{else}}y{{/if}}{{#unless ../gone.x}}z{{/unless}}{{/each}}{{#if @root.gone.x}}a{{else}}b{{/if}}{{#each xs}}{{#if @first}}F{{/if}}{{/each}}",
            "yzyzbF",
        ),
        (
            "{{#with user as |u|}}{{u.name}}{{name}}{{#with u.tags as |t|}}{{t.length}}{{/with}}{{/with}}{{#each xs}}{{#with @root.user}}{{@index}}{{name}}{{/with}}{{/each}}",
            "AnnAnn20Ann1Ann",
        ),
    ] {
        assert_eq!(outcome(text, &values, false), expected, "{text}");
    }
}

#[test]
fn endless_blocks_hit_a_limit() {
    let many = json!({"a": vec![1; 3000], "t": "x".repeat(100_000)});
    for (text, limit) in [
        ("{{#each a}}{{#each @root.a}}{{.}}{{/each}}{{/each}}", "limit of 5000000 steps"),
        ("{{#each a}}{{@root.t}}{{/each}}", "limit of 16777216 bytes"),
    ] {
        let outcome = outcome(text, &many, false);
        assert!(outcome.contains(limit), "{text}: {outcome}");
    }
    let deep = format!("{}{}", "{{#if a}}".repeat(49), "{{/if}}".repeat(49));
    let chained = format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if a}}".repeat(201));
    let brackets = format!("{{{{#if {}a{}}}}}x{{{{/if}}}}", "(".repeat(49), ")".repeat(49));
    for (text, limit) in
        [(deep, "nest deeper than 48"), (chained, "chains more than 200"), (brackets, "nests deeper than 48")]
    {
        assert!(outcome(&text, &many, false).contains(limit), "{}", outcome(&text, &many, false));
    }
}
