'use strict';
// Loaded before a measured program, which need not know: tells when it listens, and on demand what it has used.
const { subscribe } = require('node:diagnostics_channel');

// What costs something itself is watched only where it's asked for: `stalls` of the event loop, `statements`.
const watched = process.env.BENCH_WATCH;
delete process.env.BENCH_WATCH;
let stalls;
const made = { statements: 0, commits: 0 };

subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  if (watched === 'stalls') {
    stalls = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
    stalls.enable();
  }
  process.send({ port: server.address().port });
});
process.on('message', () => {
  const longestStallMs = (stalls?.max ?? 0) / 1e6;
  stalls?.reset();
  process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss(), longestStallMs, ...made });
});
process.on('disconnect', () => process.exit());
// Threads of the program load this, too.
process.channel?.unref();

function countCalls(prototype, name, count) {
  const own = prototype[name];
  prototype[name] = function (...values) {
    count(values[0]);
    return own.apply(this, values);
  };
}

if (watched === 'statements') {
  const { DatabaseSync, StatementSync } = require('node:sqlite');
  for (const name of ['run', 'all', 'get'])
    countCalls(StatementSync.prototype, name, () => (made.statements += 1));
  countCalls(DatabaseSync.prototype, 'exec', (text) => (made.commits += text === 'COMMIT' ? 1 : 0));
}
