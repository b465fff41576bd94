//! The pages of the book and the blocks of code in them.

use std::path::{Path, PathBuf};

/// A block between two fences.
#[derive(Debug)]
pub struct Block {
    /// Its page, from the root of the repository.
    pub page: String,
    /// The line of its first fence, counted from 1.
    pub line: usize,
    /// The words after its first fence.
    pub words: Vec<String>,
    /// What stands between the fences.
    pub text: String,
}

impl Block {
    /// The language; Rust where none is named.
    pub fn language(&self) -> &str {
        self.words.first().map_or("rust", String::as_str)
    }

    /// Whether a word stands beside the language.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().skip(1).any(|other| other == word)
    }

    /// The file that the block is the content of.
    pub fn file(&self) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix("file:"))
    }

    /// Where it stands, for messages.
    pub fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page: those of `docs/` and those of the root that a reader meets first.
pub fn pages() -> Vec<String> {
    let mut pages: Vec<String> = std::fs::read_dir(root().join("docs"))
        .expect("docs/")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .map(|path| format!("docs/{}", path.file_name().expect("a name").to_string_lossy()))
        .collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "DESIGN.md", "scenes/README.md"].map(str::to_owned));
    pages.sort();
    pages
}

/// The text of a page.
pub fn text(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (index, line) in text(page).lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(words) => {
                let words = words.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned);
                let (page, line) = (page.to_owned(), index + 1);
                found.push(Block { page, line, words: words.collect(), text: String::new() });
                open = true;
            }
            None if open => {
                let block = found.last_mut().expect("an open block");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "{page}: a block has no end");
    found
}

/// Every block of every page.
pub fn all_blocks() -> Vec<Block> {
    pages().iter().flat_map(|page| blocks(page)).collect()
}

/// The targets of the links of a page, `(line, target)`, those in blocks of code left out.
pub fn links(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open = false;
    for (index, line) in text(page).lines().enumerate() {
        if line.starts_with("```") {
            open = !open;
        }
        if open {
            continue;
        }
        for part in line.split("](").skip(1) {
            if let Some(end) = part.find(')') {
                found.push((index + 1, part[..end].to_owned()));
            }
        }
    }
    found
}

/// The names that headings of a page have as targets of links.
pub fn anchors(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap_or_default();
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let name = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
    };
    headings.map(name).collect()
}
