//! Checks the imports: each module imports only the modules in its row, and no files import each other in a
//! circle.
//!
//! An import counts for the file that defines the item. `mod` and `pub use` declarations are not
//! imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::Visit;
use syn::{Attribute, Item, UseTree, Visibility};

/// The modules of a package with the modules and packages that each may import.
type Rows = &'static [(&'static str, &'static [&'static str])];

/// The modules of `model`.
const MODEL: Rows = &[
    ("log", &["rules", "words"]),
    ("bot", &["engine", "rules"]),
    ("time_control", &["log", "rules", "words"]),
    ("rating", &["rules", "words"]),
    ("preferences", &["time_control", "rules", "words"]),
    ("render", &["rules", "log", "opening"]),
    ("moment", &["log"]),
    ("player", &["preferences"]),
    ("side", &["bot", "player"]),
    ("opening", &["rules", "words"]),
    ("agreement", &["rules", "time_control", "opening"]),
    ("tournament", &["rules", "log", "words", "agreement", "player"]),
    ("game", &["rules", "log", "time_control", "agreement", "player", "side", "tournament"]),
    ("challenge", &["rules", "bot", "log", "words", "agreement", "player"]),
    ("held", &["words", "player"]),
    ("mail", &["log", "words", "held", "moment", "player"]),
    ("words", &[]),
];

/// The modules of the program.
const PROGRAM: Rows = &[
    ("protocol", &["rules", "engine"]),
    ("portable", &["rules", "model"]),
    ("program", &["rules", "protocol", "config", "clock", "lines"]),
    ("command", &["rules", "model"]),
    ("store", &["rules", "model", "files"]),
    ("mail", &["rules", "model", "config", "clock", "files"]),
    (
        "app",
        &[
            "rules", "engine", "model", "portable", "protocol", "program", "command", "store",
            "mail", "config", "clock", "files",
        ],
    ),
    ("cli", &["app", "command", "model", "rules", "config", "clock", "lines", "tui", "web"]),
    ("tui", &["app", "command", "model", "rules", "config", "clock", "lines"]),
    ("web", &["app", "command", "model", "rules", "config", "clock", "lines"]),
    ("config", &["model"]),
    ("clock", &[]),
    ("files", &[]),
    ("lines", &[]),
];

/// The packages with the other packages that each may import.
const PACKAGES: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("engine", &["rules"]),
    ("model", &["rules", "engine"]),
    ("tools", &["rules", "engine"]),
];

/// The files and folders of `src/app`, lowest first. Each imports only from its own line and from
/// lines above it.
const APP: &[&[&str]] = &[
    &[
        "color_option.rs",
        "error.rs",
        "line/unknown.rs",
        "line/wrapped_plan.rs",
        "rng.rs",
        "run/actor.rs",
        "run/contain.rs",
        "run/log_format.rs",
        "run/searched.rs",
        "run/traits.rs",
        "text",
    ],
    &["access", "find.rs", "host_items.rs", "run/application.rs", "run/claimed.rs", "run/retry.rs"],
    &["views"],
    &["effects", "run"],
    &["jobs/analysis.rs", "jobs/hint.rs", "jobs/study.rs", "jobs/thinking.rs"],
    &["commands", "formats"],
    &["disarm", "line"],
    &["delivery", "doctor", "jobs", "receive"],
    &["commands/host", "live"],
];

/// The beginning of the other packages' names.
const PACKAGE: &str = "outflank_";

/// A module of a crate: its place in the tree, such as `["app", "find"]`.
type ModulePath = Vec<String>;

/// The names of a path in the source, such as `["crate", "app", "Error"]`.
type Names = Vec<String>;

/// The parsed source of a module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// The names of the items that it defines.
    items: BTreeSet<String>,
    /// Its imports: the name in this module, the path, and whether it is a `pub use`.
    uses: Vec<(String, Names, bool)>,
    /// The other paths in its code.
    paths: BTreeSet<Names>,
}

/// The modules of a crate.
struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    /// Reads the sources of a crate, from its `lib.rs`.
    fn read(source: &Path) -> Self {
        let mut read = Self { modules: BTreeMap::new() };
        read.add_file(Vec::new(), source.join("lib.rs"));
        read
    }

    fn add_file(&mut self, path: ModulePath, file: PathBuf) {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        self.add_items(path, file, &parsed.items);
    }

    fn add_items(&mut self, path: ModulePath, file: PathBuf, items: &[Item]) {
        let mut module = Module { file: file.clone(), ..Module::default() };
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            let Item::Mod(inner) = item else {
                module.items.extend(name(item));
                module.visit_item(item);
                continue;
            };
            let inner_path = [&path[..], &[inner.ident.to_string()]].concat();
            match &inner.content {
                Some((_, items)) => self.add_items(inner_path, file.clone(), items),
                None => self.add_file(inner_path, file_of(&file, &inner.ident.to_string())),
            }
        }
        self.modules.insert(path, module);
    }

    /// Returns the files that each file imports, and the other packages of the workspace.
    fn imports(&self) -> BTreeMap<&Path, BTreeSet<PathBuf>> {
        let mut imports: BTreeMap<&Path, BTreeSet<PathBuf>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let imported = module.uses.iter().filter(|(.., is_passed_on)| !is_passed_on);
            let imported = imported.map(|(_, names, _)| names);
            let found = imported.chain(&module.paths).filter_map(|names| self.file(path, names));
            let found = found.filter(|file| *file != module.file);
            imports.entry(&module.file).or_default().extend(found);
        }
        imports
    }

    /// Resolves a path in this module to the file that defines its item, or else its module.
    fn file(&self, module: &ModulePath, names: &[String]) -> Option<PathBuf> {
        let mut from = module.clone();
        let mut names = names;
        while let [first, rest @ ..] = names {
            match first.as_str() {
                "crate" => from.clear(),
                "self" => {}
                "super" => drop(from.pop()),
                package if package.starts_with(PACKAGE) => return Some(package.into()),
                _ => return self.item(&from, names, from != *module || names.len() > 1),
            }
            names = rest;
        }
        None
    }

    /// Resolves these names in a module to the file of their item. Only with `may_be_module` can a single
    /// name be that of a module.
    fn item(&self, at: &ModulePath, names: &[String], may_be_module: bool) -> Option<PathBuf> {
        let module = self.modules.get(at)?;
        let Some((first, rest)) = names.split_first() else {
            return may_be_module.then(|| module.file.clone());
        };
        let inner = [&at[..], std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&inner) {
            // An item defined by a macro is not found. It counts for the module of its path.
            let found = self.item(&inner, rest, may_be_module);
            return found
                .or_else(|| Some(self.modules[&inner].file.clone()).filter(|_| !rest.is_empty()));
        }
        if module.items.contains(first) {
            return Some(module.file.clone());
        }
        module.uses.iter().find_map(|(name, names, _)| match name.as_str() {
            // A path that begins with its own name is that of another crate.
            _ if names[0] == *first => None,
            "*" => self.file(at, &[names, std::slice::from_ref(first), rest].concat()),
            // An item of another package counts for the module that reexports it.
            name if name == first && names[0].starts_with(PACKAGE) => Some(module.file.clone()),
            name if name == first => self.file(at, &[names, rest].concat()),
            _ => None,
        })
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_passed_on = !matches!(item.vis, Visibility::Inherited);
        let mut found = Vec::new();
        leaves(&item.tree, &mut Vec::new(), &mut found);
        self.uses.extend(found.into_iter().map(|(name, names)| (name, names, is_passed_on)));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    /// A visibility such as `pub(in crate::app)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.paths.extend(paths_in(&mac.tokens.to_string()));
    }
}

/// Returns the paths in the text of a macro's arguments, without those in quoted text.
fn paths_in(tokens: &str) -> Vec<Names> {
    let code: Vec<_> = tokens.split('"').step_by(2).collect();
    let code = code.join(" ").replace("::", ":");
    let is_other = |c: char| !c.is_ascii_alphanumeric() && !"_: ".contains(c);
    let parts = code.split(is_other).map(|part| part.replace(" :", ":").replace(": ", ":"));
    let words: Vec<_> =
        parts.flat_map(|it| it.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect();
    let names = words.iter().map(|word| word.split(':').map(str::to_owned).collect::<Names>());
    names.filter(|names| names.iter().all(|name| !name.is_empty())).collect()
}

/// Collects the names and paths of a `use` declaration.
fn leaves(tree: &UseTree, before: &mut Names, found: &mut Vec<(String, Names)>) {
    let path = |before: &Names, name: &syn::Ident| match name.to_string().as_str() {
        "self" => before.clone(),
        name => [&before[..], &[name.to_owned()]].concat(),
    };
    match tree {
        UseTree::Path(inner) => {
            before.push(inner.ident.to_string());
            leaves(&inner.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) => {
            let path = path(before, &name.ident);
            found.push((path.last().cloned().unwrap_or_default(), path));
        }
        UseTree::Rename(name) => found.push((name.rename.to_string(), path(before, &name.ident))),
        UseTree::Glob(_) => found.push(("*".to_owned(), before.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, found)),
    }
}

/// Returns the file of the module with this name that a file declares.
fn file_of(declaring: &Path, name: &str) -> PathBuf {
    let is_folder = ["lib.rs", "mod.rs"].iter().any(|file| declaring.ends_with(file));
    let folder =
        if is_folder { declaring.with_file_name("") } else { declaring.with_extension("") };
    let file = folder.join(name).with_extension("rs");
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let is_test = |it: &Attribute| it.parse_args::<syn::Ident>().is_ok_and(|word| word == "test");
    attributes.iter().any(|it| it.path().is_ident("cfg") && is_test(it))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(it) => it.ident.to_string(),
        Item::Enum(it) => it.ident.to_string(),
        Item::Fn(it) => it.sig.ident.to_string(),
        Item::Static(it) => it.ident.to_string(),
        Item::Struct(it) => it.ident.to_string(),
        Item::Trait(it) => it.ident.to_string(),
        Item::Type(it) => it.ident.to_string(),
        _ => return None,
    })
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files that each file imports, by their paths in the repository, and other packages.
static IMPORTS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let short = |file: &Path| file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let crates: Vec<_> = sources().iter().map(|source| Crate::read(source)).collect();
    let imports = crates.iter().flat_map(Crate::imports);
    imports.map(|(file, found)| (short(file), found.iter().map(|it| short(it)).collect())).collect()
});

/// Returns the imports of the files in a folder, without the names of the folder.
fn imports_in(folder: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    IMPORTS.iter().filter_map(move |(file, found)| {
        let inside = |file| str::strip_prefix(file, folder);
        let found = found.iter().filter_map(|it| inside(it).or(it.strip_prefix(PACKAGE)));
        Some((inside(file)?, found.collect()))
    })
}

/// Returns the source folders of the program and of the other packages.
fn sources() -> Vec<PathBuf> {
    let packages = PACKAGES.iter().map(|(name, _)| root().join("crates").join(name).join("src"));
    packages.chain([root().join("src")]).collect()
}

/// Returns the program's module that contains a file, or the name of its package.
fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

#[test]
fn every_import_is_allowed() {
    for (folder, rows) in [("src/", PROGRAM), ("crates/model/src/", MODEL)] {
        for (file, found) in imports_in(folder).filter(|(file, _)| *file != "lib.rs") {
            let module = module_of(file);
            let row = rows.iter().find(|(name, _)| *name == module);
            let (_, allowed) = row.unwrap_or_else(|| panic!("{module} has no row"));
            for other in found.into_iter().map(module_of).filter(|other| *other != module) {
                assert!(allowed.contains(&other), "{folder}{file} imports {other}");
            }
        }
    }
}

#[test]
fn packages_depend_on_the_packages_in_their_rows() {
    for (package, allowed) in PACKAGES {
        let file = root().join("crates").join(package).join("Cargo.toml");
        let manifest: toml::Table = fs::read_to_string(file).unwrap().parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap().keys();
        let ours = dependencies.filter_map(|name| name.strip_prefix("outflank-"));
        let ours: BTreeSet<_> = ours.collect();
        assert_eq!(ours, allowed.iter().copied().collect(), "{package}");
    }
}

/// Returns the place of a file of `app` in [`APP`].
fn level(file: &str) -> usize {
    let places = APP.iter().enumerate().flat_map(|(level, names)| {
        names
            .iter()
            .filter(|name| Path::new(file).starts_with(name))
            .map(move |name| (name.len(), level))
    });
    places.max().unwrap_or_else(|| panic!("{file} has no place in the order of app/")).1
}

#[test]
fn files_of_the_application_import_from_lower_ones() {
    for (file, found) in imports_in("src/app/").filter(|(file, _)| *file != "mod.rs") {
        for other in found.into_iter().filter(|other| other.ends_with(".rs")) {
            assert!(level(other) <= level(file), "{file} imports {other}");
        }
    }
}

/// Returns files that import each other in a circle; `None` if there is no circle.
fn circle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<&str>> {
    let mut left: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, found) in imports {
        let found = found.iter().map(String::as_str).filter(|it| imports.contains_key(*it));
        left.insert(file, found.collect());
    }
    // A file that imports none of the remaining files is not in a circle.
    while let Some(file) = left.iter().find(|(_, found)| found.is_empty()).map(|(file, _)| *file) {
        left.remove(file);
        left.values_mut().for_each(|found| found.retain(|it| *it != file));
    }
    let mut walk = vec![*left.keys().next()?];
    loop {
        let next = left[walk[walk.len() - 1]][0];
        if let Some(begin) = walk.iter().position(|file| *file == next) {
            return Some(walk.split_off(begin));
        }
        walk.push(next);
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(circle(&IMPORTS), None);
}

#[test]
fn imports_count_for_the_file_that_defines_the_item() {
    let imports = |file: &str, other: &str| IMPORTS[file].contains(other);
    assert!(imports("src/app/find.rs", "src/app/error.rs"), "through `pub use` in app/mod.rs");
    assert!(imports("src/app/commands/player.rs", "src/app/commands/play/moves.rs"), "in a macro");
    assert!(
        imports("src/app/line/mod.rs", "src/app/commands/player.rs"),
        "an item defined by a macro"
    );
    assert!(imports("src/app/find.rs", "outflank_rules"), "another package");
    assert!(imports("src/cli/output.rs", "outflank_model"), "another package");
    assert!(!imports("src/app/receive/batch.rs", "src/app/rng.rs"), "tests do not count");
    assert!(!imports("src/app/mod.rs", "src/app/find.rs"), "declarations do not count");
}

#[test]
fn only_the_clock_module_reads_the_time() {
    let tools = root().join("crates/tools/src");
    let mut pending: Vec<_> = sources().into_iter().filter(|source| *source != tools).collect();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("clock.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            for call in ["Instant::now", "SystemTime::now", "Utc::now", "Local::now"] {
                assert!(!text.contains(call), "{} calls {call}", path.display());
            }
        }
    }
}
