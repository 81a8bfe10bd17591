import { run } from '../../../../src/run.ts';

/** The app with one that says the password of its database in an error that nobody catches, and notes how it's stopped. */
await run(process, async ({ storeUrl, port }, { log }) => {
  const { CRASH } = process.env;
  const error = new Error(`broken by ${decodeURIComponent(new URL(storeUrl).password)}`);
  setTimeout(() => {
    if (CRASH === 'rejection') void Promise.reject(error);
    else throw error;
  });
  // A server that listens keeps the process running.
  setInterval(() => undefined, 60_000);
  return {
    port,
    crashed: () => log.info('told of the crash'),
    stop: async () => log.info('stopped in order'),
  };
});
