//! A fake Snowflake: an HTTP server that implements the part of Snowflake's API that refdesk uses, with the faults that
//! a test requests. It checks requests as Snowflake documents them, but was never compared with Snowflake itself.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use crate::KeyPair;

/// The hash of the tests' public key, as `openssl` prints it.
const FINGERPRINT: &str = "SHA256:c6V6Ya6TxErG5rgdGSQE3s8rc2Ee+4709L+PO7y8jUQ=";

/// A request, as received.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub method: String,
    pub target: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

/// What happens instead of an answer.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A status, a header and a body.
    Status(u16, Option<(&'static str, String)>, String),
    /// The statement is still running for this many polls.
    Later(usize),
    /// The connection is closed immediately.
    Cut,
    /// The connection is closed in the middle of the answer.
    CutInside,
}

/// The contents of an account.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub role: &'static str,
    /// Name and comment.
    pub schemas: Vec<[Option<&'static str>; 2]>,
    /// Schema, name, type, rows and comment.
    pub tables: Vec<[Option<&'static str>; 5]>,
    /// In the order of the statement's columns.
    pub columns: Vec<[Option<&'static str>; 13]>,
    /// The columns of each row, by the kind of key in the statement.
    pub keys: BTreeMap<&'static str, Vec<BTreeMap<&'static str, String>>>,
    /// Rows per part of a result.
    pub part: usize,
}

pub struct StandIn {
    pub port: u16,
    pub seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

struct State {
    account: Tables,
    faults: VecDeque<Fault>,
    /// The results by handle, each with the number of polls until it is ready.
    results: BTreeMap<String, (Value, Vec<Vec<Value>>, usize)>,
    public_key: Option<Vec<u8>>,
}

impl StandIn {
    /// Starts the server. The first requests get the faults, in order. It accepts tokens signed with this private key,
    /// or without a key, `a-token`.
    pub fn start(account: Tables, faults: Vec<Fault>, key: Option<&str>) -> Self {
        let public_key = key.map(|pem| KeyPair::of_pem(pem).unwrap().public_key());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        thread::spawn(move || {
            let mut state = State { account, faults: faults.into(), results: BTreeMap::new(), public_key };
            for stream in listener.incoming().flatten() {
                serve(stream, &mut state, &kept);
            }
        });
        Self { port, seen }
    }

    pub fn seen(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, state: &mut State, seen: &Mutex<Vec<ReceivedRequest>>) {
    let Some(request) = request(&stream) else { return };
    seen.lock().unwrap().push(request.clone());
    let (status, header, body) = match state.faults.pop_front() {
        Some(Fault::Status(status, header, body)) => (status, header, body.into_bytes()),
        Some(Fault::Cut) => return,
        Some(Fault::CutInside) => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"data\": [");
            return;
        }
        Some(Fault::Later(times)) => answered(state, &request, times),
        None => answered(state, &request, 0),
    };
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    if let Some((name, value)) = header {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = stream.write_all(format!("{head}\r\n").as_bytes()).and_then(|()| stream.write_all(&body));
}

fn request(stream: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { method, target, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

type Reply = (u16, Option<(&'static str, String)>, Vec<u8>);

fn refused(status: u16, code: &str) -> Reply {
    let words = "SQL compilation error: 'a-secret-word' is not there.";
    (status, None, json!({"code": code, "message": words, "sqlState": "02000"}).to_string().into_bytes())
}

fn answered(state: &mut State, request: &ReceivedRequest, questions: usize) -> Reply {
    if !is_let_in(state, request) {
        return refused(401, "390144");
    }
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let Some(rest) = path.strip_prefix("/api/v2/statements") else { return refused(404, "390404") };
    if let Some(handle) = rest.strip_prefix('/') {
        let number = query.strip_prefix("partition=").map_or(0, |number| number.parse().unwrap());
        return part(state, handle, number);
    }
    let shown = query.split('&').any(|pair| pair.starts_with("requestId=") && pair.len() == 46);
    let parameters = &request.body["parameters"];
    if !shown || parameters["QUERY_TAG"] != "refdesk" || request.body["timeout"] != 30 {
        return refused(400, "391917");
    }
    let Some((names, rows)) = result(&state.account, &request.body) else { return refused(422, "002003") };
    let parts: Vec<Vec<Value>> = rows.chunks(state.account.part.max(1)).map(<[Value]>::to_vec).collect();
    let parts = if parts.is_empty() { vec![Vec::new()] } else { parts };
    let handle = format!("01b2c3d4-0000-{:04}", state.results.len());
    let shape = json!({
        "format": "jsonv2",
        "numRows": rows.len(),
        "rowType": names.iter().map(|name| json!({"name": name, "type": "text", "nullable": true})).collect::<Vec<_>>(),
        "partitionInfo": parts.iter().map(|part| json!({"rowCount": part.len()})).collect::<Vec<_>>(),
    });
    state.results.insert(handle.clone(), (shape, parts, questions));
    part(state, &handle, 0)
}

/// A part of a result. As in Snowflake, all parts but the first are compressed and have no columns.
fn part(state: &mut State, handle: &str, number: usize) -> Reply {
    let Some((shape, parts, questions)) = state.results.get_mut(handle) else { return refused(422, "000709") };
    if *questions > 0 {
        *questions -= 1;
        let body = json!({"code": "333334", "message": "running", "statementHandle": handle});
        return (202, None, body.to_string().into_bytes());
    }
    let Some(rows) = parts.get(number) else { return refused(400, "391918") };
    if number == 0 {
        let body = json!({"code": "090001", "statementHandle": handle, "resultSetMetaData": shape, "data": rows});
        return (200, None, body.to_string().into_bytes());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(json!({"data": rows}).to_string().as_bytes()).unwrap();
    (200, Some(("content-encoding", "gzip".to_owned())), encoder.finish().unwrap())
}

/// Whether the token is the expected text, or was signed with the key of the user `refdesk` of `acme-main`.
fn is_let_in(state: &State, request: &ReceivedRequest) -> bool {
    let Some(token) = request.headers.get("authorization").and_then(|value| value.strip_prefix("Bearer ")) else {
        return false;
    };
    let Some(public_key) = &state.public_key else { return token == "a-token" };
    let Some((message, signature)) = token.rsplit_once('.') else { return false };
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap_or_default();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key);
    let claims = message.split_once('.').map(|(_, claims)| decoded(claims)).unwrap_or_default();
    let claims: Value = serde_json::from_slice(&claims).unwrap_or_default();
    let lasts = claims["exp"].as_u64().zip(claims["iat"].as_u64()).is_some_and(|(end, start)| end - start <= 3_600);
    key.verify(message.as_bytes(), &decoded(signature)).is_ok()
        && request.headers.get("x-snowflake-authorization-token-type").is_some_and(|kind| kind == "KEYPAIR_JWT")
        && claims["sub"] == "ACME-MAIN.REFDESK"
        && claims["iss"] == format!("ACME-MAIN.REFDESK.{FINGERPRINT}")
        && lasts
}

/// The columns and rows for a statement; `None` if it names something that the account does not have.
fn result(account: &Tables, body: &Value) -> Option<(Vec<String>, Vec<Value>)> {
    let statement = body["statement"].as_str()?;
    if body["database"] != "SHOP" {
        return None;
    }
    if let Some(rest) = statement.strip_prefix("SHOW ") {
        return Some(shown_keys(account, rest));
    }
    let bound = |number: &str| body["bindings"][number]["value"].as_str().unwrap_or_default().to_owned();
    assert_eq!(statement.matches('?').count(), body["bindings"].as_object().unwrap().len(), "{statement}");
    let schemas: Vec<String> = serde_json::from_str(&bound("1")).unwrap_or_default();
    let is_wanted = |schema: &str| {
        (schemas.is_empty() || schemas.iter().any(|it| it == schema))
            && (schema != "INFORMATION_SCHEMA" || bound("3") == "true")
    };
    let (names, rows): (&str, Vec<Vec<Option<&str>>>) = if statement.contains("SCHEMATA") {
        ("SCHEMA_NAME COMMENT", account.schemas.iter().map(|row| row.to_vec()).collect())
    } else if statement.contains("INFORMATION_SCHEMA.TABLES") {
        let names = "TABLE_SCHEMA TABLE_NAME TABLE_TYPE ROW_COUNT COMMENT";
        (names, account.tables.iter().map(|row| row.to_vec()).collect())
    } else if statement.contains("INFORMATION_SCHEMA.COLUMNS") {
        let names = "TABLE_SCHEMA TABLE_NAME COLUMN_NAME DATA_TYPE CHARACTER_MAXIMUM_LENGTH NUMERIC_PRECISION \
                     NUMERIC_SCALE DATETIME_PRECISION IS_NULLABLE COLUMN_DEFAULT IS_IDENTITY COLLATION_NAME COMMENT";
        (names, account.columns.iter().map(|row| row.to_vec()).collect())
    } else {
        ("VERSION ROLE NAME", vec![vec![Some("9.30.1"), Some(account.role), Some("SHOP")]])
    };
    let is_catalog = statement.contains("INFORMATION_SCHEMA.");
    let rows = rows.into_iter().filter(|row| !is_catalog || row[0].is_some_and(is_wanted)).map(|row| json!(row));
    Some((names.split_whitespace().map(str::to_owned).collect(), rows.collect()))
}

/// Answers `PRIMARY KEYS IN DATABASE`, or in a schema given by its quoted name.
fn shown_keys(account: &Tables, rest: &str) -> (Vec<String>, Vec<Value>) {
    let (word, place) = rest.split_once(" KEYS IN ").unwrap();
    let schema = place.strip_prefix("SCHEMA ").map(|name| name.trim_matches('"').replace("\"\"", "\""));
    let all = account.keys.get(word).cloned().unwrap_or_default();
    let owner = if word == "IMPORTED" { "fk_schema_name" } else { "schema_name" };
    let names: Vec<String> =
        all.first().map(|row| row.keys().map(|name| (*name).to_owned()).collect()).unwrap_or_default();
    let wanted = all.iter().filter(|row| schema.as_ref().is_none_or(|schema| row.get(owner) == Some(schema)));
    let rows = wanted.take(10_000).map(|row| json!(row.values().collect::<Vec<_>>())).collect();
    (names, rows)
}
