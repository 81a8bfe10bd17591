import type { createAudit } from '../../src/audit/audit.ts';

/** Of an audit whose reports a test isn't about. */
export const unheard: Parameters<typeof createAudit>[0]['report'] = {
  entry: () => undefined,
  waiting: () => undefined,
  written: () => undefined,
  lost: () => undefined,
};
