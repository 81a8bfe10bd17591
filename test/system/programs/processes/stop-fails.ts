import { run } from '../../../../src/run.ts';

/** The app with one that starts, says the password of its database, and can't be stopped. */
await run(process, async ({ storeUrl, port }, { log }) => {
  const password = decodeURIComponent(new URL(storeUrl).password);
  log.info({ password }, 'in use');
  // A server that listens keeps the process running.
  setInterval(() => undefined, 60_000);
  return { port, stop: () => Promise.reject(new Error(`refused ${password}`)) };
});
