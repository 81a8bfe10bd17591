import { openStorage } from '../../src/storage/open.ts';
import { TrailRecord, createTrail } from '../../src/trail/trail.ts';
import type { Deed } from '../../src/trail/trail.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import type { Options } from '../support/checked-sandbox.ts';
import { SAM, personIn } from '../support/person.ts';
import { storeInFile } from '../support/settings-book.ts';

const ACME = 'T0ACME00000';
export const ADA = 'U0ADA000005';

/** A sandbox whose trail is a file, with a way to write into it as other processes would. */
export function trailedSandbox(options: Options = {}) {
  const storeUrl = storeInFile();
  const clock = { ahead: 0 };
  const { sandbox } = checkedSandbox({ storeUrl, now: () => Date.now() + clock.ahead, ...options });
  async function withTrail<Result>(
    use: (trail: ReturnType<typeof createTrail>) => Promise<Result>,
    now: () => number = Date.now,
  ): Promise<Result> {
    const storage = await openStorage(sandbox().config.storeUrl);
    const trail = createTrail({
      store: storage.store('trail'),
      now,
      newId: () => crypto.randomUUID(),
      keptDays: 30,
      secret: 'of the tests',
      report: () => undefined,
    });
    try {
      return await use(trail);
    } finally {
      await storage.close();
    }
  }
  const ada = () => personIn(sandbox(), ADA);
  return {
    sandbox,
    ada,
    /** From now on what Slack said of anybody counts no more. */
    letAnswersAge: () => void (clock.ahead += 5_000),
    ask: (filter = '') => ada().type(`/cobrowse audit ${filter}`),
    /** @param agoMs how long before now */
    write: (deed: Partial<Deed>, agoMs = 0) =>
      withTrail(
        (trail) => trail.record({ workspaceId: ACME, userId: SAM, deed: 'search', outcome: 'done', ...deed }),
        () => Date.now() - agoMs,
      ),
    records: () =>
      withTrail(async (trail) => {
        const all: TrailRecord[] = [];
        for await (const record of trail.read(ACME)) all.push(record);
        return all;
      }),
    /** The records of the file that was sent last. */
    sentFile: (): readonly TrailRecord[] => {
      const upload = sandbox().slack.calls.findLast(({ method }) => method === 'upload');
      const text = new Map(Object.entries(upload?.args ?? {})).get('text');
      const lines = typeof text === 'string' ? text.trim().split('\n') : [];
      return lines.map((line) => TrailRecord.parse(JSON.parse(line)));
    },
  };
}
