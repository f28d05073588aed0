//! `completions`: scripts that let shells complete commands.
//!
//! The words of commands and options are in the scripts; for game numbers, names and moves they
//! call the program, see `complete.rs`.

use std::io::{self, Write};

use clap_complete::generate;
use clap_complete::shells::{Bash, Fish, Zsh};

use super::args::{self, CompletionShell};
use super::failure::{Failure, check_written};

/// Prints the script for a shell.
pub(super) fn run(shell: CompletionShell) -> Result<(), Failure> {
    check_written(io::stdout().write_all(script(shell).as_bytes()), false)
}

/// Returns the script that lets a shell complete commands.
fn script(shell: CompletionShell) -> String {
    let mut program = args::program();
    let mut script = Vec::new();
    match shell {
        CompletionShell::Bash => generate(Bash, &mut program, "outflank", &mut script),
        CompletionShell::Zsh => generate(Zsh, &mut program, "outflank", &mut script),
        CompletionShell::Fish => generate(Fish, &mut program, "outflank", &mut script),
    }
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        CompletionShell::Bash => script + BASH,
        CompletionShell::Zsh => {
            ZSH.iter().fold(script, |script, (from, to)| script.replace(from, to))
        }
        CompletionShell::Fish => {
            let values = format!("' -r -f -a '({FISH_VALUES})'\n");
            script.replace("' -r\n", &values) + FISH
        }
    }
}

/// Takes the offers of the program, or else those of the script. Bash completes only the part of a word
/// behind its last colon.
const BASH: &str = r#"
_outflank_and_values() {
    _outflank "$@"
    local found i word="${COMP_LINE:0:COMP_POINT}" words=() breaks="${COMP_WORDBREAKS//[^:=]/}"
    word="${word##*[[:space:]]}"
    # Bash has split words at = and :, which belong to them.
    for i in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ ${#words[@]} -gt 0 && ( $i == [:=]* || ${words[-1]} == *[:=] ) ]]; then
            words[-1]+="$i"
        else
            words+=("$i")
        fi
    done
    if [[ ${#words[@]} -gt 0 && $word == *[:=]* && $word == "${words[-1]}"* ]]; then
        unset 'words[-1]'
    fi
    mapfile -t found < <("$1" __complete "${words[@]}" "$word" 2>/dev/null)
    if [[ ${#found[@]} -gt 0 ]]; then
        COMPREPLY=()
        for i in "${found[@]}"; do
            # Bash completes only the part behind the last of its word breaks.
            [[ -z $breaks || $word != *[$breaks]* ]] || i="${i#"${word%"${word##*[$breaks]}"}"}"
            COMPREPLY+=("$i")
        done
    else
        found=("${COMPREPLY[@]}")
        COMPREPLY=()
        for i in "${found[@]}"; do
            # What the script knows of an argument is its name, such as <GAME>. Options are offered behind a hyphen.
            [[ $i == [\<\[]* || ( $i == -* && $word != -* ) ]] || COMPREPLY+=("$i")
        done
    fi
}

complete -o bashdefault -o default -F _outflank_and_values outflank
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nosort -o bashdefault -o default -F _outflank_and_values outflank
fi
"#;

/// Replacements in the script for zsh: an argument without words of its own is completed by the
/// program, or else as any file name. The words are noted before the script cuts them.
const ZSH: &[(&str, &str)] = &[
    (":_default'", ":_outflank_values'"),
    (
        "\n_outflank() {\n",
        r#"
_outflank_values() {
    local -a found
    found=("${(@f)$("$outflank_program" __complete "${(@)outflank_words}" "$IPREFIX$PREFIX" 2>/dev/null)}")
    found=("${(@)${(@)found:#}#$IPREFIX}")
    if (( ${#found} )); then
        compadd -M 'm:{a-zA-Z}={A-Za-z}' -a found
    else
        _default
    fi
}

_outflank() {
    local outflank_program="${(Q)words[1]}"
    local -a outflank_words
    outflank_words=("${(@)words[2,CURRENT-1]}")
"#,
    ),
];

/// The function for fish that prints the values of an option.
const FISH_VALUES: &str = "__fish_outflank_print_values";

/// Fish gives the words before the cursor without their quotes, and the program takes them with them.
const FISH: &str = r#"
function __fish_outflank_find_values
    set -l words (commandline -opc)
    set -l quoted (string escape --no-quoted -- $words)
    set -g __fish_outflank_values ($words[1] __complete $quoted[2..-1] (commandline -ct) 2>/dev/null)
    test (count $__fish_outflank_values) -gt 0
end
function __fish_outflank_print_values
    # Fish puts the option before its value.
    __fish_outflank_find_values; and string replace -r -- '^--[^=]*=' '' $__fish_outflank_values
end
complete -c outflank -n __fish_outflank_find_values -k -f -a '$__fish_outflank_values'
"#;
