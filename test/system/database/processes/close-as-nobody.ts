import { closeToOthers } from '../../../../src/database/sqlite-file.ts';

process.setuid?.(65_534);
await closeToOthers(process.argv[2] ?? '', (file, error) => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  process.stdout.write(`${JSON.stringify({ file, code })}\n`);
});
