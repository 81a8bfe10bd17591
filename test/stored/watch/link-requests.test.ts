import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import type { LinkRequest } from '../../../src/messages/link-request.ts';
import type { Actor, Rule } from '../../../src/permissions/permissions.ts';
import { concludeLink, endLink, recordLink } from '../../../src/sessions/watch-links.ts';
import { createAuthorizer } from '../../../src/watch/link-requests.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, KIM, SAM, SUPPORT } from '../../support/person.ts';
import { allowed } from '../../watch/stage.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;
const T = 'T0ACME00000';
const ELSEWHERE = 'T0OTHER0000';
const members = { members: true, ids: [] };
const jane = {
  workspaceId: T,
  userId: ALEX,
  channelId: SUPPORT,
  visitorId: 'jane4821',
  access: 'full',
} as const;

describe.each(engines)('what somebody may have who asks for a link, in $engine', ({ newUrl }) => {
  async function open() {
    const database = await openUntilTestEnds(await newUrl());
    const asked: { readonly rule: Rule; readonly actor: Actor }[] = [];
    const slack = { takesMs: 0, meanwhile: async (): Promise<unknown> => undefined };
    let elapsed = 0;
    const rules = { watch: members, stop: members, delete: members, usage: members };
    const workspace = { defaults: { rules, summaryChannel: undefined } };
    const authorize = createAuthorizer(
      {
        database,
        async checkRule(rule, actor) {
          asked.push({ rule, actor });
          elapsed += slack.takesMs;
          await slack.meanwhile();
          return rule.members ? { allowed: true } : { allowed: false, why: 'not-named' };
        },
        record: async () => undefined,
        now: () => NOON,
        elapsed: () => elapsed,
      },
      () => undefined,
    );
    const set = (workspaceId: string, name: string, value: string) =>
      database.write(sql`INSERT INTO settings (workspace_id, name, value, version, changed_by, changed_at)
        VALUES (${workspaceId}, ${name}, ${value}, 1, '', 0)`);
    const give = (userId: string, minutesAgo: number, more: object = {}) => {
      const link = { ...jane, ...more, userId, linkId: `${userId} ${minutesAgo}` };
      const issuedAt = NOON - minutesAgo * MINUTE;
      return database.write(recordLink({ link, agentId: 'agent', issuedAt }, NOON));
    };
    return {
      database,
      set,
      give,
      asked,
      slack,
      decide: (request: LinkRequest) => authorize.watch(workspace, request),
      /** The link that what they were allowed comes with. */
      underWay: async (request: LinkRequest = jane) => {
        const decision = await authorize.watch(workspace, request);
        if (!('allowed' in decision)) throw new Error('They are refused.');
        return decision.allowed.underWay;
      },
    };
  }

  it('is what they ask for, where nothing has happened yet', async () => {
    const { decide, asked } = await open();
    expect(await decide(jane)).toEqual({ allowed: allowed(jane) });
    await decide({ ...jane, channelId: undefined });
    expect(asked.map(({ actor }) => actor.channelId)).toEqual([SUPPORT, undefined]);
  });

  it('goes by the rule and the most access that the workspace’s admins have set', async () => {
    const { decide, asked, set } = await open();
    await set(T, 'may-watch', JSON.stringify({ members: true, ids: [SAM] }));
    await set(T, 'maxAccess', '"point"');
    await set(ELSEWHERE, 'may-watch', 'null');
    await set(ELSEWHERE, 'maxAccess', 'null');
    expect(await decide(jane)).toEqual({ allowed: allowed({ ...jane, access: 'point' }) });
    const viewing = { ...jane, access: 'view' } as const;
    expect(await decide(viewing)).toEqual({ allowed: allowed(viewing) });
    const elsewhere = { ...jane, workspaceId: ELSEWHERE };
    expect(await decide(elsewhere)).toEqual({ allowed: allowed(elsewhere) });
    expect(asked.map(({ rule }) => rule.ids)).toEqual([[SAM], [SAM], []]);
  });

  it('is nothing for anybody but admins where the rule can’t be read', async () => {
    const { decide, asked, set } = await open();
    await set(T, 'may-watch', '{"members":"yes"}');
    expect(await decide(jane)).toEqual({ refused: 'not-named' });
    await decide({ ...jane, workspaceId: ELSEWHERE });
    expect(asked.map(({ rule }) => rule)).toEqual([{ members: false, ids: [] }, members]);
  });

  it.each([
    [1_999, 'full'],
    [2_000, 'view'],
  ])('is decided anew where Slack took %i ms to say who they are: %s', async (takesMs, access) => {
    const { decide, set, slack } = await open();
    slack.takesMs = takesMs;
    slack.meanwhile = async () => {
      slack.meanwhile = async () => undefined;
      await set(T, 'maxAccess', '"view"');
    };
    expect(await decide(jane)).toMatchObject({ allowed: { request: { access } } });
  });

  it('comes with the latest open link of somebody else to the same screen, from the last half hour', async () => {
    const { underWay, give } = await open();
    await give(KIM, 31);
    await give(KIM, 5, { visitorId: 'noah' });
    await give(KIM, 5, { workspaceId: ELSEWHERE });
    expect(await underWay()).toBeUndefined();
    await give(KIM, 29);
    await give(SAM, 20);
    expect(await underWay()).toEqual({ userId: SAM, at: NOON - 20 * MINUTE });
    const proxy = { initialUrl: 'https://a.example/', allowedDomains: [] };
    expect(await underWay({ workspaceId: T, userId: ALEX, proxy })).toBeUndefined();
  });

  it('comes with the latest open link of their own before any other, for as long as a session may last', async () => {
    const { underWay, give } = await open();
    await give(SAM, 1);
    await give(ALEX, 8 * 60 + 1);
    expect((await underWay())?.userId).toBe(SAM);
    await give(ALEX, 8 * 60);
    await give(ALEX, 7 * 60);
    expect(await underWay()).toEqual({ userId: ALEX, at: NOON - 7 * 60 * MINUTE });
  });

  it.each([
    [ALEX, 'ended'],
    [SAM, 'ended'],
    [ALEX, 'unused'],
    [ALEX, 'unknown'],
  ] as const)('comes with no link of %s’s that is %s', async (userId, became) => {
    const { underWay, give, database } = await open();
    await give(userId, 20);
    const link = { ...jane, linkId: `${userId} 20` };
    if (became === 'ended') await database.write(endLink(link, { sessionId: 's1', endedAt: NOON }));
    else await database.write(concludeLink(link, { concluded: became, at: NOON }));
    expect(await underWay()).toBeUndefined();
  });
});
