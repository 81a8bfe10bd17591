# Starts the app on the machine's own Node, which runs npm, if it's new enough. Otherwise on the first one that npm finds: on
# Linux x64 that's the one "npm ci" brings, which isn't run before.
own="${npm_node_execpath:-}"
is_new_enough='var v = process.versions.node.split(".").map(Number); process.exit(v[0] > 22 || (v[0] === 22 && v[1] >= 20) ? 0 : 1)'
if [ -n "$own" ] && "$own" -e "$is_new_enough"; then exec "$own" src/start.js "$@"; fi
exec node src/start.js "$@"
