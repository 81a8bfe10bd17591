import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { checkFile } from './sqlite-file.ts';

// What it throws arrives at `sqlite-file.ts` as an error.
parentPort?.postMessage({ damage: checkFile(z.string().parse(workerData)) });
