#!/usr/bin/env bash
# install-code-server.sh DIR: a VS Code workbench and server in DIR, from the npm registry alone.
#
# Needs node 20 with its headers (NODEDIR, /usr by default), npm, g++, make and python3. code-server's own installation
# scripts are not run: they download binaries from elsewhere. What they do and is needed here is done below.
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
nodedir=${NODEDIR:-/usr}
npm_folder=$(dirname "$(readlink -f "$(command -v npm)")")/..
entry=$dir/node_modules/code-server/out/node/entry.js

compile() { # compile FOLDER [node-gyp options]: a native module of the folder
  local folder=$1
  shift
  (cd "$folder" && node "$npm_folder/node_modules/node-gyp/bin/node-gyp.js" rebuild --nodedir="$nodedir" "$@" >build.log 2>&1) ||
    { tail -20 "$folder/build.log" >&2; exit 1; }
}
install() { npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@"; }

cd "$dir"
[ -f package.json ] || echo '{"name": "editor-for-tests", "private": true}' >package.json
case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
install --save-exact code-server@4.100.3 "@vscode/ripgrep-linux-$arch@1.18.0"

# The password hash, loaded at start even where no password is asked.
argon2=$dir/node_modules/argon2
binding=$argon2/lib/binding/napi-v3
compile "$argon2" --module="$binding/argon2.node" --module_name=argon2 --module_path="$binding" \
  --napi_version=9 --napi_build_version=3 --node_napi_label=napi-v3

# The editor's own server. `npm ci` refuses its lock file as out of step.
cd "$dir/node_modules/code-server/lib/vscode"
install --omit=dev
compile node_modules/node-pty # the integrated terminal
mkdir -p node_modules/@vscode/ripgrep/bin
cp "$dir/node_modules/@vscode/ripgrep-linux-$arch/bin/rg" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar

cd extensions
install --omit=dev
[ ! -f postinstall.mjs ] || node postinstall.mjs >/dev/null

node "$entry" --version
