/** Tells what its clock says, and whether a timer of an hour has rung, after each message. */
let rung = false;
setTimeout(() => (rung = true), 3_600_000);
process.on('message', () => process.send?.({ now: Date.now(), made: new Date().getTime(), rung }));
process.send?.('ready');
// The clock lets go of the channel, which alone keeps this one alive.
process.channel?.ref();
