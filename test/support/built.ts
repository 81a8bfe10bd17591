import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../build/build.ts', import.meta.url));

/** `npm run build` into another folder, so that it disturbs nobody who runs the project's own. */
export const buildInto = (folder: string) => promisify(execFile)(process.execPath, [BUILD, folder]);
