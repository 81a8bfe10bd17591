import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAudit } from '../../../src/audit/audit.ts';
import { sql } from '../../../src/database/database.ts';
import { createFollowUps } from '../../../src/team/follow-ups.ts';
import { unheard } from '../../audit/unheard.ts';
import { openStage } from '../../outbox/stage.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, SAM, SUPPORT } from '../../support/person.ts';

const now = () => Date.now();

describe.each(engines)('the follow-ups of a workspace, in $engine', ({ newUrl }) => {
  it('are neither read nor changed from another one, whoever knows their ids', async () => {
    const { database, start, pass } = await openStage({ url: await newUrl() });
    const { tell, outbox, outcomes } = await start();
    const { prepare } = createAudit({ database, now, keptDays: 1, secret: '', report: unheard });
    const followUps = createFollowUps({ database, outbox, prepare, now });
    await tell('a');
    await pass(3_000);
    const [end] = await database.read(sql`SELECT id FROM session_ends`, z.object({ id: z.string() }));
    const endId = end?.id ?? '';
    const { workspaceId, visitorId } = alexInSupport;
    const foreign = 'T0OTHER0000';
    const entry = { workspaceId: foreign, userId: ALEX, action: 'follow-up', outcome: 'set' } as const;
    const whose = { endId, visitorId, channelId: SUPPORT, userId: ALEX };
    const wanted = { ...whose, line: 'Call', dueAt: now() + 60_000 };
    const set = (at: string) => followUps.set({ ...wanted, workspaceId: at }, entry);
    await outcomes.choose({ workspaceId, userId: ALEX }, endId, 'follow-up');
    expect([await set(foreign), await set(workspaceId)]).toEqual([false, true]);
    const [one] = await followUps.list(workspaceId, { channelId: SUPPORT }, 5);
    if (one === undefined) expect.fail('There is none.');

    expect(await followUps.find(foreign, endId)).toBeUndefined();
    expect(await followUps.list(foreign, { userIds: [ALEX] }, 5)).toEqual([]);
    expect(await followUps.list(foreign, { channelId: SUPPORT }, 5)).toEqual([]);
    expect(await followUps.people(foreign)).toEqual([]);
    const elsewhere = { ...one, workspaceId: foreign };
    const done = [
      await followUps.later(elsewhere, { dueAt: 0, line: 'Gone' }, entry),
      await followUps.hand(elsewhere, { by: ALEX, to: SAM }, entry),
      await followUps.done(elsewhere, entry),
    ];
    expect(done).toEqual([false, false, false]);
    expect(await followUps.find(workspaceId, endId)).toEqual(one);
  });
});
