#!/usr/bin/env bash
# Runs a command with another version of Node, which npm brings: `bash scripts/with-node.sh 24 npm run test:unit`.
# Installs the version into a temporary folder and removes it afterwards.
set -euo pipefail

(($# >= 2)) || { echo 'usage: with-node.sh <version> <command> …' >&2; exit 2; }
version=$1
shift
package="node-$(node -p 'process.platform.replace("win32", "win") + "-" + process.arch')"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-save --no-package-lock --prefix "$folder" "$package@$version"
PATH="$folder/node_modules/$package/bin:$PATH"
export PATH
echo "Node $(node --version): $*"
"$@"
