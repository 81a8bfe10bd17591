import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

const lastRead = new Map<string, pg.ClientConfig>();

/** What an address says, with the files of certificates that it names. @throws the first time, where one can't be read */
function readAddress(url: string): pg.ClientConfig | undefined {
  try {
    lastRead.set(url, parseIntoClientConfig(url));
  } catch (error) {
    if (!lastRead.has(url)) throw error;
  }
  return lastRead.get(url);
}

/**
 * The kind of connection to an address. The driver reads the files for each one, wherever it's about to open it, and there an
 * error would end the process: one that's gone, as while it's replaced, counts as it was.
 */
export const connectionTo = (url: string) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...readAddress(url) });
    }
  };
