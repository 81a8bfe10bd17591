import { count } from '../messages/text.ts';
import { runOnStore } from './store-program.ts';
import { createDataKeys } from '../workspaces/data-keys.ts';
import { createInstalls } from '../workspaces/installs.ts';

/** `npm run rotate-keys`: seals every workspace's data key with the first of SECRET_KEYS. */
export const run = (): Promise<never> =>
  runOnStore(async (database, { secretKeys }) => {
    const dataKeys = createDataKeys(secretKeys);
    const { done, missing } = await createInstalls({ database, dataKeys, now: Date.now }).resealAll();
    const lines = [
      `${count(done, 'workspace')} sealed with the key ${dataKeys.ids[0]}.`,
      ...Array.from(
        missing,
        ([id, many]) =>
          `The key ${id} isn’t in SECRET_KEYS, and ${count(many, 'workspace')} can’t be sealed without it: put it back and run this again.`,
      ),
    ];
    return { says: lines.join('\n'), code: missing.size === 0 ? 0 : 1 };
  });
