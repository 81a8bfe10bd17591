import { count } from '../messages/text.ts';
import { runOnStore } from './store-program.ts';
import { createDataKeys } from '../workspaces/data-keys.ts';
import { createInstalls } from '../workspaces/installs.ts';

/** `npm run rotate-keys`: seals every workspace's data key with the first of SECRET_KEYS. */
export const run = (): Promise<never> =>
  runOnStore(async (database, { secretKeys }) => {
    const dataKeys = createDataKeys(secretKeys);
    const installs = createInstalls({ database, dataKeys, now: Date.now });
    const done = await installs.resealAll();
    const missing = await installs.missingKeys();
    const lines = [
      `${count(done, 'workspace')} sealed with the key ${dataKeys.ids[0]}.`,
      ...missing.map(
        ({ key, workspaces }) =>
          `The key ${key} isn’t in SECRET_KEYS, and ${count(workspaces, 'workspace')} can’t be sealed without it: put it back and run this again.`,
      ),
    ];
    return { says: lines.join('\n'), code: missing.length === 0 ? 0 : 1 };
  });
