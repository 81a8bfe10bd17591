import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAudit } from '../../../src/audit/audit.ts';
import { CobrowseError } from '../../../src/cobrowse/errors.ts';
import { VisitorSchema } from '../../../src/cobrowse/schemas.ts';
import { sql } from '../../../src/database/database.ts';
import type { IssuedLink } from '../../../src/messages/link-request.ts';
import type { Subscribers } from '../../../src/sessions/subscribers.ts';
import { createFollowUps } from '../../../src/team/follow-ups.ts';
import { unheard } from '../../audit/unheard.ts';
import { HOUR_MS, MINUTE_MS, down, lost, openStage, took, type Answer } from '../../outbox/stage.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, SALES, SAM, SUPPORT } from '../../support/person.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';

const now = () => Date.now();
const RANDOM = 'C0RANDOM003';
const alex = { workspaceId: alexInSupport.workspaceId, userId: ALEX, channelId: SUPPORT };
const sam = { ...alex, userId: SAM };

const candidate = (channelId: string, id: string) => ({ id, channelId });
/** Until a worker without a hint has looked: a hint from PostgreSQL takes unpredictably long. */
const rest = ({ pass }: Pick<Opened, 'pass'>) => pass(70_000);
/** #sales gets summaries in full, #random in short. */
const subscribed: Partial<Subscribers> = {
  candidates: async () => [candidate(SALES, '1'), candidate(RANDOM, '2')],
  formNow: async (_workspaceId, id) => ({ form: id === '1' ? 'full' : 'short' }),
};

const EndRow = z.object({ id: z.string() });

describe.each(engines)('the outcome of a session, on $engine', ({ newUrl }) => {
  async function stageOf(answer: Answer = took, options: Parameters<Opened['start']>[0] = {}) {
    const stage = await openStage({ url: await newUrl() });
    const process = await stage.start({ answer, ...options });
    const endId = async () => {
      const [end] = await stage.database.read(sql`SELECT id FROM session_ends`, EndRow);
      return end?.id ?? '';
    };
    /** Its session has ended, and its summary is where it can be posted; gives the end's id. */
    const ended = async (link: Partial<IssuedLink> = {}) => {
      await process.tell('a', link);
      await stage.pass(3_000);
      return endId();
    };
    const changes = () =>
      stage.asked
        .filter(({ replaces }) => replaces !== undefined)
        .map(({ to, text }) => `${to} ${/^Outcome: (.+)$/m.exec(text)?.[1]}`)
        .toSorted();
    return { stage, process, endId, ended, changes };
  }

  it('shows in every copy of its summary, each in its own form', async () => {
    const { stage, process, ended, changes } = await stageOf(took, { subscribers: subscribed });
    const id = await ended();
    const posted = stage.asked.length;
    expect(await process.outcomes.choose(sam, id, 'solved')).toBe(true);
    await rest(stage);
    expect(changes()).toEqual(
      [SALES, RANDOM, SUPPORT].map((to) => `${to} Solved, set by <@${SAM}>`).toSorted(),
    );
    const forms = stage.asked.slice(posted).map(({ to, text }) => `${to} ${text.includes('Where: ')}`);
    // Known as what they were, so that a lost one is still found.
    expect(new Set(stage.asked.map((one) => one.id)).size).toBe(posted);
    expect(forms.toSorted()).toEqual([`${RANDOM} false`, `${SALES} true`, `${SUPPORT} true`].toSorted());
  });

  it('is part of a summary that is posted later, and needs no change then', async () => {
    let isDown = true;
    const { stage, process, ended, changes } = await stageOf(
      ({ to }) => (to === SALES && isDown ? down : took()),
      { subscribers: subscribed },
    );
    const id = await ended();
    await process.outcomes.choose(alex, id, 'solved');
    await rest(stage);
    isDown = false;
    await rest(stage);
    expect(changes().filter((change) => change.startsWith(SALES))).toEqual([]);
    const late = stage.asked.findLast(({ to }) => to === SALES);
    expect(late?.text).toContain('Outcome: Solved');
  });

  it.each([
    ['for minutes, it waits, so that the customer’s name stays', 0, 'Jane Cooper with'],
    ['for longer, it shows without the name', HOUR_MS, 'jane4821 with'],
  ])('shows in the summary while the service is away: %s', async (_, awayMs, title) => {
    let isAway = false;
    const jane = VisitorSchema.parse({ short_id: 'jane4821', identities: ['Jane Cooper'] });
    const { stage, process, ended, changes } = await stageOf(took, {
      visitor: async () => {
        if (isAway) throw new CobrowseError('unreachable', 'GET /visitors/jane4821: no connection');
        return jane;
      },
    });
    const id = await ended();
    isAway = true;
    await process.outcomes.choose(alex, id, 'solved');
    await rest(stage);
    expect(changes()).toEqual([]);
    await stage.pass(awayMs, MINUTE_MS);
    isAway = awayMs > 0;
    await rest(stage);
    expect(changes()).toEqual([`${SUPPORT} Solved, set by <@${ALEX}>`]);
    expect(stage.asked.at(-1)?.text).toContain(title);
  });

  it('finally shows in a summary whose answer was lost, found as it was before', async () => {
    let found: readonly string[] = [];
    let isLost = true;
    const { stage, process, endId, changes } = await stageOf(
      ({ replaces }) => (isLost && replaces === undefined ? lost : took()),
      { find: async ({ to }) => ({ found, channelId: to }) },
    );
    await process.tell('a');
    await stage.pass(500);
    await process.outcomes.choose(alex, await endId(), 'solved');
    isLost = false;
    found = ['5.5'];
    await rest(stage);
    expect(changes()).toEqual([`${SUPPORT} Solved, set by <@${ALEX}>`]);
    expect(stage.asked.at(-1)).toMatchObject({ replaces: '5.5' });
  });

  it('changes a direct message where Slack put it, not at the person’s id', async () => {
    const { stage, process, ended } = await stageOf(({ to, replaces }) => ({
      outcome: 'posted',
      ts: replaces ?? '17.5',
      channelId: to === ALEX ? 'D0ALEX00001' : to,
    }));
    const id = await ended({ channelId: undefined });
    await process.outcomes.choose({ ...alex, channelId: 'D0ALEX00001' }, id, 'solved');
    await rest(stage);
    expect(stage.asked.map(({ to, replaces }) => `${to} ${replaces}`)).toEqual([
      `${ALEX} undefined`,
      'D0ALEX00001 17.5',
    ]);
  });

  it('can’t be set for a session of another workspace, or one that was removed', async () => {
    const { stage, process, ended, changes } = await stageOf();
    const id = await ended();
    const elsewhere = { ...alex, workspaceId: 'T0OTHER0000' };
    expect(await process.outcomes.find(elsewhere.workspaceId, id)).toBeUndefined();
    expect(await process.outcomes.choose(elsewhere, id, 'solved')).toBe(false);
    expect(await process.outcomes.choose(alex, 'nothing', 'solved')).toBe(false);
    await stage.pass(HOUR_MS, HOUR_MS);
    expect(changes()).toEqual([]);
  });

  it('“Follow up” leads to one that is neither read nor changed from another workspace, whoever knows its id', async () => {
    const { stage, process, ended } = await stageOf();
    const { database } = stage;
    const { prepare } = createAudit({ database, now, keptDays: 1, secret: '', report: unheard });
    const followUps = createFollowUps({ database, outbox: process.outbox, prepare, now });
    const endId = await ended();
    const { workspaceId } = alex;
    const foreign = 'T0OTHER0000';
    const entry = { workspaceId: foreign, userId: ALEX, action: 'follow-up', outcome: 'set' } as const;
    const whose = { endId, visitorId: alexInSupport.visitorId, channelId: SUPPORT, userId: ALEX };
    const wanted = { ...whose, line: 'Call', dueAt: now() + 60_000 };
    await process.outcomes.choose(alex, endId, 'follow-up');
    expect(await followUps.set({ ...wanted, workspaceId: foreign }, entry)).toBe(false);
    expect(await followUps.set({ ...wanted, workspaceId }, entry)).toBe(true);
    const [one] = await followUps.list(workspaceId, { channelId: SUPPORT }, 5);
    if (one === undefined) throw new Error('There is none.');

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

type Opened = Awaited<ReturnType<typeof openStage>>;
