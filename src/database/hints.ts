import { EventEmitter } from 'node:events';
import type { Database } from './database.ts';

type Hints = Pick<Database, 'notify' | 'listen'>;

/** Hints within one process. */
export function createLocalHints(): Hints {
  const heard = new EventEmitter().setMaxListeners(0);
  return {
    notify: (topic, text) => void setImmediate(() => heard.emit(`topic ${topic}`, text)),
    listen(topic, listener) {
      heard.on(`topic ${topic}`, listener);
      return () => heard.off(`topic ${topic}`, listener);
    },
  };
}
