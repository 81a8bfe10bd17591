import { AuditEntry, type NewEntry } from '../../src/audit/audit.ts';
import { openDatabase } from '../../src/database/open.ts';
import { checkedSandbox, type Options } from '../support/checked-sandbox.ts';
import { sentFile } from '../support/sent-file.ts';
import { SAM, personIn } from '../support/person.ts';
import { storeInFile } from '../support/settings-values.ts';
import { entriesIn } from '../audit/entries.ts';
import { auditOf } from '../audit/unheard.ts';

const ACME = 'T0ACME00000';
export const ADA = 'U0ADA000005';

/** A sandbox whose audit is a file, with a way to write into it as other processes would. */
export function auditedSandbox(options: Options = {}) {
  const storeUrl = storeInFile();
  const clock = { ahead: 0 };
  const { sandbox } = checkedSandbox({ storeUrl, now: () => Date.now() + clock.ahead, ...options });
  async function withAudit<Result>(
    use: (audit: ReturnType<typeof auditOf>) => Promise<Result>,
    now: () => number = Date.now,
  ): Promise<Result> {
    const database = await openDatabase(sandbox().config.storeUrl);
    try {
      return await use(auditOf(database, now));
    } finally {
      await database.close();
    }
  }
  const ada = () => personIn(sandbox(), ADA);
  return {
    sandbox,
    ada,
    /** From now on what Slack said of anybody counts no more. */
    letAnswersAge: () => void (clock.ahead += 5_000),
    ask: (filter = '') => ada().type(`/cobrowse audit ${filter}`),
    /** @param agoMs how long before now: a question is about what was there before it */
    write: (entry: Partial<NewEntry>, agoMs = 1) =>
      withAudit(
        (audit) =>
          audit.record({ workspaceId: ACME, userId: SAM, action: 'search', outcome: 'done', ...entry }),
        () => Date.now() - agoMs,
      ),
    records: () => withAudit((audit) => entriesIn(audit, ACME)),
    /** The records of the file that was sent last. */
    sentFile: (): readonly AuditEntry[] => {
      const lines = sentFile(sandbox()).trim().split('\n');
      return lines.map((line) => AuditEntry.parse(JSON.parse(line)));
    },
  };
}
