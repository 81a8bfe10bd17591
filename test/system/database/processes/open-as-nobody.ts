import { openDatabase } from '../../../../src/database/open.ts';

/** Opens a database and prints the name and kind of the error: `open-as-nobody.ts <url>`. */
const [, , url = ''] = process.argv;
// No folder is read-only for the superuser.
if (process.getuid?.() === 0) process.setuid?.(65_534);
try {
  await openDatabase(url);
} catch (error) {
  process.stdout.write(`${JSON.stringify(error)}\n`);
}
