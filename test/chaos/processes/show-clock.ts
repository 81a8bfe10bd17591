/** Tells what its clocks say, and which timers of an hour have rung, after each message. */
let rung = false;
let rounds = 0;
setTimeout(() => (rung = true), 3_600_000);
setInterval(() => (rounds += 1), 3_600_000);
clearInterval(setInterval(() => (rounds = NaN), 3_600_000));
process.on('message', () =>
  process.send?.({ now: Date.now(), made: new Date().getTime(), lived: performance.now(), rung, rounds }),
);
process.send?.('ready');
// The clock lets go of the channel, which alone keeps this one alive.
process.channel?.ref();
