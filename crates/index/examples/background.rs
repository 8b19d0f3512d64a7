//! Writes the vectors of the background texts to standard output, for `crates/index/model/background.bin`:
//! `cargo run --release -p refdesk-index --example background > crates/index/model/background.bin`

use std::io::Write;

use refdesk_index::{Embedder, MiniLm, background_texts};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MiniLm::shared().map_err(|error| error.message)?;
    let mut out = std::io::stdout().lock();
    for text in background_texts().concat() {
        let vector = model.embed(&text).map_err(|error| error.message)?;
        out.write_all(&vector.scale.to_le_bytes())?;
        out.write_all(&vector.bytes())?;
    }
    Ok(())
}
