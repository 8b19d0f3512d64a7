//! A stand-in for an agent's model: a local server that answers every request with "ok" in the protocol of the agent's
//! provider, and records what the agent sent.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A running stand-in. Its thread ends with the tests.
pub struct StandInModel {
    /// The base URL, without a trailing `/`.
    pub url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl StandInModel {
    /// Starts it on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // If an agent closes the connection early, it has all it needs.
                thread::spawn(move || drop(serve(&stream, &kept)));
            }
        });
        Self { url, requests }
    }

    /// The documents that were posted so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: &TcpStream, kept: &Mutex<Vec<Value>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    let body = read_body(&mut reader)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (kind, answer) = answer(&path, &request);
    if !request.is_null() {
        kept.lock().unwrap().push(request);
    }
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )
}

/// Reads the headers and the body.
fn read_body(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let header = read_line(reader)?.to_lowercase();
        match header.split_once(':') {
            Some(("content-length", value)) => length = number(value, 10)?,
            Some(("transfer-encoding", value)) => is_chunked = value.contains("chunked"),
            _ if header.is_empty() => break,
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !is_chunked {
        reader.take(length).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let size = number(&read_line(reader)?, 16)?;
        reader.take(size).read_to_end(&mut body)?;
        read_line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

fn number(text: &str, base: u32) -> io::Result<u64> {
    u64::from_str_radix(text.trim(), base).map_err(io::Error::other)
}

/// The content type and body of an answer, chosen by the path, which identifies the provider.
fn answer(path: &str, request: &Value) -> (&'static str, String) {
    let stream = |events: &[Value]| {
        let event = |event: &Value| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        };
        ("text/event-stream", events.iter().map(event).collect())
    };
    let document = |document: Value| ("application/json", document.to_string());
    match path {
        // Claude.
        path if path.ends_with("/v1/messages") && request["stream"] == true => stream(&claude_events(request)),
        path if path.ends_with("/v1/messages") => {
            document(claude_message(request, json!([{"type": "text", "text": "ok"}])))
        }
        // OpenAI.
        path if path.ends_with("/responses") => stream(&openai_events()),
        path if path.ends_with("/chat/completions") => {
            let chunk = |delta: Value, end: Value| {
                json!({
                    "id": "c", "object": "chat.completion.chunk", "created": 1, "model": request["model"],
                    "choices": [{"index": 0, "delta": delta, "finish_reason": end}],
                })
            };
            let (kind, text) = stream(&[
                chunk(json!({"role": "assistant", "content": "ok"}), Value::Null),
                chunk(json!({}), json!("stop")),
            ]);
            (kind, format!("{text}data: [DONE]\n\n"))
        }
        // Gemini.
        path if path.contains(":streamGenerateContent") => stream(&[gemini_content("ok")]),
        // Gemini's model routing, which expects JSON: it would retry any other answer for a minute.
        path if path.contains(":generateContent") => document(gemini_content("{}")),
        _ => document(json!({})),
    }
}

fn claude_message(request: &Value, content: Value) -> Value {
    json!({
        "id": "m", "type": "message", "role": "assistant", "model": request["model"], "content": content,
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn claude_events(request: &Value) -> [Value; 6] {
    [
        json!({"type": "message_start", "message": claude_message(request, json!([]))}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]
}

fn openai_events() -> [Value; 3] {
    let item = json!({
        "type": "message", "id": "i", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": "ok", "annotations": []}],
    });
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}}),
    ]
}

fn gemini_content(text: &str) -> Value {
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })
}
