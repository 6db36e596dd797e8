#!/bin/sh
# audit.sh --site URL [--root FOLDER] [--fail-on error|warn] [--fail-under N] FILE…
#
# Audits HTML files without network, each under the address at which it would be published: its path below --root, without
# index.html. Fails when a file is below the bar; without one, errors fail.
set -u

site='' root='.' fail_on='' fail_under=''
while [ $# -gt 0 ]; do
    case $1 in
        --site | --root | --fail-on | --fail-under)
            if [ $# -lt 2 ]; then
                echo "site-audit: $1 needs a value" >&2
                exit 2
            fi
            case $1 in
                --site) site=$2 ;;
                --root) root=$2 ;;
                --fail-on) fail_on=$2 ;;
                --fail-under) fail_under=$2 ;;
            esac
            shift 2
            ;;
        --) shift; break ;;
        -*)
            echo "site-audit: unknown option $1; it takes --site, --root, --fail-on and --fail-under" >&2
            exit 2
            ;;
        *) break ;;
    esac
done
if [ -z "$site" ]; then
    echo 'site-audit: say where the site is published: args: ["--site", "https://example.com/"]' >&2
    exit 2
fi
if ! command -v site-audit >/dev/null; then
    echo 'site-audit: the program is not in the path; cargo install --locked --path crates/site-audit builds it' >&2
    exit 2
fi
if [ -z "$fail_on$fail_under" ]; then fail_on=error; fi

worst=0
for file in "$@"; do
    path=${file#"${root%/}"/}
    case $path in
        index.html) path='' ;;
        */index.html) path=${path%index.html} ;;
    esac
    site-audit audit --html "$file" --url "${site%/}/$path" \
        ${fail_on:+--fail-on "$fail_on"} ${fail_under:+--fail-under "$fail_under"}
    code=$?
    if [ "$code" -gt "$worst" ]; then worst=$code; fi
done
exit "$worst"
