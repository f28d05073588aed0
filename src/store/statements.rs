//! Finds the SQL statements of this module in its own source, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItemFn, Item, LitStr, Macro, Token};

/// A literal that begins like a statement.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The file, relative to the folder of this module.
    pub file: String,
    /// The text; of a formatted one with the names in braces.
    pub sql: String,
}

/// Returns the statements in all files of this module, but not those in its tests.
pub(super) fn all() -> Vec<Statement> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut files = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files.iter().flat_map(|path| of_file(&folder, path)).collect()
}

/// Returns a text with single spaces.
pub(super) fn flat(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a statement that was run was made of a literal with names in braces, or has it as its
/// part.
pub(super) fn is_made_of(run: &str, literal: &str) -> bool {
    let run = flat(run);
    let mut rest = run.as_str();
    let pieces = literal.split('{').enumerate().map(|(number, piece)| match number {
        0 => piece,
        _ => piece.split_once('}').map_or(piece, |(_, text)| text),
    });
    pieces.map(flat).all(|piece| match rest.find(&piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

fn of_file(folder: &Path, path: &PathBuf) -> Vec<Statement> {
    let file = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
    if ["tests.rs", "growth.rs", "statements.rs", "watch.rs"].contains(&file.as_str()) {
        return Vec::new();
    }
    let mut found = Literals::default();
    found.visit_file(&syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap());
    let begins = ["SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE ", "REPLACE "];
    let is_statement = |sql: &String| begins.iter().any(|word| sql.trim_start().starts_with(word));
    let statement = |sql| Statement { file: file.clone(), sql };
    found.0.into_iter().filter(is_statement).map(statement).collect()
}

/// The string literals of a file, those in macros included.
#[derive(Default)]
struct Literals(Vec<String>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(it) => &it.attrs,
            Item::Fn(it) => &it.attrs,
            _ => &[],
        };
        if !attributes.iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !item.attrs.iter().any(is_test) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.0.push(text.value());
    }

    fn visit_macro(&mut self, it: &'ast Macro) {
        if let Ok(parts) = it.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            parts.iter().for_each(|part| self.visit_expr(part));
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    let tokens = match &attribute.meta {
        syn::Meta::List(list) => list.tokens.to_string(),
        meta => meta.path().segments.last().unwrap().ident.to_string(),
    };
    tokens == "test"
}
