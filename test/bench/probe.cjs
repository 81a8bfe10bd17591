'use strict';
// Loaded before a measured program, which need not know: tells when it listens, and on demand what it has used.
const { subscribe } = require('node:diagnostics_channel');

subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  process.send({ port: server.address().port });
});
process.on('message', () => {
  process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
process.channel.unref();
