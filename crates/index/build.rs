//! Fails the build if a model file is truncated or replaced, so that it cannot fail at run time.

use std::error::Error;
use std::fmt::Write;
use std::fs;

use sha2::{Digest, Sha256};

/// The files of the model, with the SHA-256 of each.
const FILES: [(&str, &str); 2] = [
    ("minilm-l6-v2-int7w.rten", "6134af4d717f3aa1eaf89cbf32090252fd37e5b12ece5f38e360cc067839616a"),
    ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
];

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os("CARGO_FEATURE_MEANING").is_none() {
        return Ok(());
    }
    for (name, expected) in FILES {
        let path = format!("{}/model/{name}", std::env::var("CARGO_MANIFEST_DIR")?);
        println!("cargo::rerun-if-changed={path}");
        let mut found = String::new();
        for byte in Sha256::digest(fs::read(&path).map_err(|error| format!("{path}: {error}"))?) {
            write!(found, "{byte:02x}")?;
        }
        if found != expected {
            return Err(format!("{path} is damaged: its SHA-256 is {found}, not {expected}; check it out again").into());
        }
    }
    Ok(())
}
