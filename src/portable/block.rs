//! Bytes as a block of letters that survives mail programs, and that is never a command.

use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};

/// The line above a block.
pub const BEGIN: &str = "-----BEGIN OUTFLANK GAME-----";
/// The line below a block.
const END: &str = "-----END OUTFLANK GAME-----";

/// The letters of a group.
const GROUP: usize = 12;
/// The groups of a line, which has 51 columns and fits on a phone.
const GROUPS: usize = 4;

/// The fewest bytes that fill whole groups: two.
pub(super) const WHOLE_BYTES: usize = 15;

/// The letters of base32. Mail programs break lines anywhere, so every part of a block can be a line of its own.
/// With the letters of RFC 4648 such a line can be `D3`, a move. These have no digit, so that no line is a move
/// or the number of a game, and no vowel, `n`, `q`, `s` or `w`, so that none is a word, such as `ls` or `n`. Both cases
/// count.
const LETTERS: &str = "BCDFGHJKLMPRTVXZbcdfghjklmprtvxz";

static BASE32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str(LETTERS);
    specification.encoding().unwrap_or(data_encoding::BASE32_NOPAD)
});

/// Returns the letters that stand for a multiple of [`WHOLE_BYTES`].
pub(super) fn letters(bytes: &[u8]) -> String {
    BASE32.encode(bytes)
}

/// Returns the letters of a block in groups between the marked lines.
pub fn text(letters: &str) -> String {
    let letters: Vec<_> = letters.chars().collect();
    let groups: Vec<String> = letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
    let lines = groups.chunks(GROUPS).map(|groups| groups.join(" "));
    let lines = std::iter::once(BEGIN.to_owned()).chain(lines).chain([END.to_owned()]);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the bytes that these letters stand for; `None` if they stand for none.
pub(super) fn bytes(letters: &str) -> Option<Vec<u8>> {
    BASE32.decode(letters.as_bytes()).ok()
}

/// Returns the letters of each block in a text, however it was quoted, wrapped or spaced, each once. Those of a
/// block without an end go on to the end of the text.
pub fn blocks(text: &str) -> Vec<String> {
    let letters = |line: &str| line.chars().filter(char::is_ascii_alphabetic).collect::<String>();
    // Quotes begin with marks, and some with the initials of the author above.
    let lines = text.lines().map(|line| line.rsplit(['>', '|', '\u{ff1e}']).next().unwrap_or(line));
    let text: String = lines.map(letters).collect();
    let (begin, end) = (letters(BEGIN), letters(END));
    let mut blocks: Vec<String> = Vec::new();
    for block in text.split(&begin).skip(1) {
        let block = block.split(&end).next().unwrap_or(block);
        if !blocks.iter().any(|known| known == block) {
            blocks.push(block.to_owned());
        }
    }
    blocks
}
