/** Tells what its clocks say, and whether a timer of an hour has rung, after each message. */
let rung = false;
setTimeout(() => (rung = true), 3_600_000);
process.on('message', () =>
  process.send?.({ now: Date.now(), made: new Date().getTime(), lived: performance.now(), rung }),
);
process.send?.('ready');
// The clock lets go of the channel, which alone keeps this one alive.
process.channel?.ref();
