import { startApp } from '../../../../src/app.ts';
import { run } from '../../../../src/run.ts';

/** The app, which meets an error that nobody catches once it has started, where it's told to. */
await run(process, async (...given) => {
  const app = await startApp(...given);
  if (process.env['CRASH'] === 'yes')
    setTimeout(() => {
      throw new Error('nobody catches this');
    });
  return app;
});
