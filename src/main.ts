import { enableCompileCache } from 'node:module';

// Before the app's modules load: compiled code of an earlier start is used again.
enableCompileCache();
const { run } = await import('./run.ts');
await run(process);
