import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { checkFile } from './sqlite-file.ts';

// A thread of its own for `damage.ts`: what it throws arrives there as an error.
parentPort?.postMessage({ damage: checkFile(z.string().parse(workerData)) });
