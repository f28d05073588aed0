#!/usr/bin/env bash
# Makes the pictures of the documentation: docs/phone.png, a mail and a page; docs/play.png, for which it plays some
# moves on the board in a terminal of 80x24; and those of docs/first-game.md, for which it types the keys of that
# page. Needs tmux, Chromium and the font DejaVu Sans Mono.
# Run it when a board looks different, and look at the result.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --locked
cargo test --locked --test main -- --ignored picture_of_the_readme
folder=$(mktemp -d)
# The server stays between two boards.
echo 'set -g exit-empty off' >"$folder/tmux.conf"
in_tmux() { tmux -f "$folder/tmux.conf" -S "$folder/tmux" "$@"; }
trap 'in_tmux kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

export HOME=$folder USER=alice OUTFLANK_DB=$folder/outflank.db
export OUTFLANK_NOW=2026-11-21T10:00:00Z OUTFLANK_SEED=1
unset OUTFLANK_AS OUTFLANK_CONFIG NO_COLOR

# Waits until the command succeeds.
await() {
  for _ in {1..100}; do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "waited in vain for: $*" >&2
  return 1
}

game() { target/debug/outflank --json show 1 2>/dev/null || true; }
has_moves() { [[ $(game) == *"\"ply\":$1,"* ]]; }

# Opens a board, with the arguments of the program, once the one before is closed.
is_closed() { ! in_tmux has-session 2>/dev/null; }
open_board() {
  await is_closed
  in_tmux new-session -d -x 80 -y 24 -c "$folder" "$PWD/target/debug/outflank" "$@"
}

# Draws the screen as docs/NAME.png.
picture() { # name, pixels a pixel of the screen
  in_tmux capture-pane -e -p >"$folder/screen"
  # Each part behind an escape sequence becomes a span with its colours.
awk '
function color(n,  levels) {
  if (n < 16) return basic[n + 1]
  if (n >= 232) return gray(8 + 10 * (n - 232))
  n -= 16
  return sprintf("rgb(%d,%d,%d)", level(int(n / 36)), level(int(n / 6) % 6), level(n % 6))
}
function gray(n) { return sprintf("rgb(%d,%d,%d)", n, n, n) }
function level(n) { return n == 0 ? 0 : 55 + 40 * n }
# Applies the numbers of a sequence from the one at this place on.
function apply(code, count,  at, n) {
  for (at = 1; at <= count; at++) {
    n = code[at] + 0
    if (n == 0) { front = plain_front; back = ""; bold = dim = line = swap = 0 }
    else if (n == 1) bold = 1
    else if (n == 2) dim = 1
    else if (n == 4) line = 1
    else if (n == 7) swap = 1
    else if (n == 22) bold = dim = 0
    else if (n == 24) line = 0
    else if (n == 27) swap = 0
    else if (n == 39) front = plain_front
    else if (n == 49) back = ""
    else if (n >= 30 && n <= 37) front = color(n - 30)
    else if (n >= 40 && n <= 47) back = color(n - 40)
    else if (n >= 90 && n <= 97) front = color(n - 82)
    else if (n >= 100 && n <= 107) back = color(n - 92)
    else if (n == 38 || n == 48) {
      if (code[at + 1] == 5) { shade = color(code[at + 2] + 0); at += 2 }
      else { shade = "rgb(" code[at + 2] "," code[at + 3] "," code[at + 4] ")"; at += 4 }
      if (n == 38) front = shade; else back = shade
    }
  }
}
function span(text,  style) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  if (text == "") return ""
  if (swap) style = "color:" (back == "" ? plain_back : back) ";background:" front
  else style = "color:" front (back == "" ? "" : ";background:" back)
  if (bold) style = style ";font-weight:bold"
  if (dim) style = style ";opacity:.6"
  if (line) style = style ";text-decoration:underline"
  return "<span style=\"" style "\">" text "</span>"
}
BEGIN {
  split("#000 #c33 #3a3 #b80 #36c #a3a #099 #ccc #777 #f55 #5d5 #fd5 #59f #f5f #5dd #fff", basic, " ")
  plain_front = front = "#ddd"
  plain_back = "#1c1c1c"
  print "<!DOCTYPE html><meta charset=utf-8><style>"
  print "body { margin: 12px; background: " plain_back " }"
  print "pre { margin: 0; font: 14px/17px \"DejaVu Sans Mono\", monospace }"
  print "span { display: inline-block; height: 17px }</style><pre>"
}
{
  parts = split($0, part, /\033\[/)
  html = span(part[1])
  for (i = 2; i <= parts; i++) {
    end = index(part[i], "m")
    apply(code, split(substr(part[i], 1, end - 1), code, ";"))
    html = html span(substr(part[i], end + 1))
  }
  print html
}' "$folder/screen" >"$folder/screen.html"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor="$2" \
    --user-data-dir="$folder/profile" --window-size=699,432 --screenshot="$folder/screen.png" \
    "file://$folder/screen.html" 2>/dev/null
  cp "$folder/screen.png" "docs/$1.png"
}

open_board play
await has_moves 0
for moves in 2 4 6 8 10; do
  # The screen follows within a second.
  sleep 1
  [[ $(game) =~ \"legal\":\[[^]]*\"([a-h][1-8])\"\] ]]
  # To tmux, f5 would be a function key.
  in_tmux send-keys -l "${BASH_REMATCH[1]}"$'\r'
  await has_moves $moves
done
# The cursor shows what the next move would flip.
in_tmux send-keys Up
sleep 1
picture play 2
in_tmux kill-session

# A board of its own is behind each example of the page. `tests/commands/board.rs` types the same keys.
shows() { in_tmux capture-pane -p | tr -s ' ' | grep -qF -e "$1"; }
while IFS= read -r line; do
  case $line in
    '$ '*)
      read -ra words <<<"${line#* -- }"
      open_board "${words[@]}"
      await shows 'Your move.'
      ;;
    '!['*)
      # The last update of the screen follows at once.
      sleep 1
      name=${line##*(}
      picture "${name%.png)}" 1
      ;;
    '| keys |'* | '|--'*) ;;
    '| '*)
      cell=${line#| }
      IFS=, read -ra keys <<<"${cell%% | *}"
      for key in "${keys[@]// /}"; do
        case $key in
          \`*) key=${key//\`/} && in_tmux send-keys -l "$key" ;;
          Esc) in_tmux send-keys Escape ;;
          *) in_tmux send-keys "$key" ;;
        esac
      done
      while read -r text; do await shows "$text"; done < <(grep -o '`[^`]*`' <<<"${cell#* | }" | tr -d '`')
      ;;
  esac
done <docs/first-game.md
ls -l docs/*.png
