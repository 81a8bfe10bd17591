import { describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { SAM, personIn, readable } from '../../support/person.ts';
import { startGate } from '../../support/postgres-gate.ts';
import { startForMany } from '../../workspaces/many-stage.ts';

const MINUTE_MS = 60_000;
const NOT_CHECKED =
  'I couldn’t check your permission, so nothing was done: the app can’t read its database right now.';

describe.skipIf(!hasPostgres)('a workspace that installed the app, without the database', () => {
  it('finds and stops by what was read of it in the last hour, its account too, and then says that it can’t be checked', async () => {
    const gate = await startGate(new URL(await postgresql.newUrl()));
    let passed = 0;
    const now = () => Date.now() + passed;
    const { sandbox } = await startForMany({
      storeUrl: gate.url,
      connects: true,
      sandboxOptions: { now },
      appOptions: { now, pageWaitMs: PATIENT_MS },
    });
    const [alex, sam] = [personIn(sandbox), personIn(sandbox, SAM)];
    const text = async (typed: string) => readable((await sam.type(`/cobrowse ${typed}`)).blocks);
    const redirect = await alex.watch(await alex.type('/cobrowse watch jane4821'));
    await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    gate.shut();

    passed = 59 * MINUTE_MS;
    expect(await text('find jane@acme.com')).toContain('Jane Cooper');
    const question = await sam.type('/cobrowse stop jane4821');
    const answer = await sam.stop(() => sam.press(question, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Jane Cooper was stopped');
    expect(sandbox.service.sessions().filter(({ ended_at }) => ended_at === null)).toEqual([]);
    expect(await text('subscribe all here')).toMatch(/wasn’t done|can’t tell whether this was done/);

    passed = 61 * MINUTE_MS;
    const { length: asked } = sandbox.service.requests;
    for (const typed of ['find jane', 'stop jane', 'usage', 'help'])
      expect(await text(typed)).toContain(NOT_CHECKED);
    expect(sandbox.service.requests).toHaveLength(asked);
    gate.reopen();
    await expect.poll(() => text('find jane'), { timeout: 20_000 }).toContain('Jane Cooper');
  });
});
