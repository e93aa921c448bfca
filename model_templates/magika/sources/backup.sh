#!/usr/bin/env bash
# Copy a folder to a dated archive and keep the last seven.
set -euo pipefail

source_dir="${1:?usage: backup.sh SOURCE TARGET}"
target_dir="${2:?usage: backup.sh SOURCE TARGET}"
keep=7

if [[ ! -d "$source_dir" ]]; then
    echo "no such folder: $source_dir" >&2
    exit 2
fi

mkdir -p "$target_dir"
stamp="$(date +%Y-%m-%d_%H%M%S)"
archive="$target_dir/backup-$stamp.tar.gz"

cleanup() {
    rm -f "$archive.part"
}
trap cleanup EXIT

tar -C "$source_dir" -czf "$archive.part" .
mv "$archive.part" "$archive"
echo "wrote $archive"

ls -1t "$target_dir"/backup-*.tar.gz | tail -n "+$((keep + 1))" | while read -r old; do
    rm -- "$old"
    echo "removed $old"
done
