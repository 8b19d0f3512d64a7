//! The blocks of Markdown.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Block, BlockKind};

/// What the front matter says is data about the document, and no part of its text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut blocks = Vec::new();
    let mut depth = 0usize;
    let mut heading: Option<(usize, String)> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match tag {
                        Tag::Heading { level, .. } => {
                            heading = Some((level as usize, String::new()));
                            None
                        }
                        Tag::CodeBlock(_) => Some(BlockKind::Code),
                        Tag::MetadataBlock(_) if range.start == 0 => None,
                        _ => Some(BlockKind::Text),
                    };
                    blocks.extend(kind.map(|kind| Block { range, kind }));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if let (TagEnd::Heading(_), 0) = (end, depth)
                    && let Some((level, title)) = heading.take()
                {
                    blocks.push(Block { range, kind: BlockKind::Heading(level, title.trim().to_owned()) });
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, title)) = &mut heading {
                    title.push(' ');
                }
            }
            Event::Rule if depth == 0 => {}
            _ if depth == 0 => blocks.push(Block { range, kind: BlockKind::Text }),
            _ => {}
        }
    }
    blocks
}
