import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { closeToOthers } from '../storage/file-mode.ts';
import { openStorage, storeFile } from '../storage/open.ts';
import type { Storage } from '../storage/store.ts';

/** Opens the store, and closes its files to other users of the machine before. */
export async function openPrivateStorage({ storeUrl }: Pick<Config, 'storeUrl'>, log: Log): Promise<Storage> {
  const path = storeFile(storeUrl);
  if (path !== undefined) {
    await closeToOthers(path, (file, err) =>
      log.warn({ file, err }, 'other users can open a file of the store, and its mode cannot be changed'),
    );
  }
  return openStorage(storeUrl);
}
