import { enableCompileCache } from 'node:module';

// Before the app's modules load, so that code compiled by an earlier start is reused.
enableCompileCache();
const { run } = await import('./run.ts');
await run(process);
