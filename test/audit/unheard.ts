import { createAudit } from '../../src/audit/audit.ts';
import type { Database } from '../../src/database/database.ts';

/** Of an audit whose reports a test isn't about. */
export const unheard: Parameters<typeof createAudit>[0]['report'] = {
  entry: () => undefined,
  waiting: () => undefined,
  written: () => undefined,
  lost: () => undefined,
};

/** The audit of a database, in a test that isn't about it. */
export const auditOf = (database: Database, now = () => Date.now()) =>
  createAudit({ database, now, keptDays: 30, secret: 'of the tests', report: unheard });
