import { startApp } from '../../../src/app.ts';
import { run } from '../../../src/run.ts';

/*
 * The whole app, whose clock is eleven minutes behind for its first twenty seconds: what the clock showed at least ten
 * minutes ago decides what is old, so old rows are removed from the first minute on.
 */
const BEHIND_MS = 11 * 60_000;
const FIRST_MS = 20_000;

const now = () => Date.now() - (performance.now() < FIRST_MS ? BEHIND_MS : 0);
await run(process, (config, surroundings) => startApp(config, { ...surroundings, now }));
