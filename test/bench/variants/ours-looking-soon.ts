import { startApp } from '../../../src/app.ts';
import { run } from '../../../src/run.ts';

/* The whole app, which looks sooner for what is due by the clock. */

await run(process, (config, surroundings) => startApp(config, { ...surroundings, schedulerMs: 3_000 }));
