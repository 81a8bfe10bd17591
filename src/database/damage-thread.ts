import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { quickCheck } from './damage.ts';

// A thread of its own for `damage.ts`: what it throws arrives there as an error.
parentPort?.postMessage(quickCheck(z.string().parse(workerData)));
