import { describe, expect, it } from 'vitest';
import type { AgentKey } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, SessionSchema, type Session } from '../../src/cobrowse/schemas.ts';
import type { KeyOf } from '../../src/sessions/session-poller.ts';
import { runningSessions } from '../../src/team/stop.ts';
import { everything } from '../home/sources.ts';
import { ALEX } from '../support/person.ts';
import { endedSession } from '../sessions/ended-session.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const open = { ended_at: null };
const ofLink = (slack_link: string) => ({ ...open, metadata: { slack_link } });

const link = (linkId: string, agentId: string) => ({
  userId: ALEX,
  visitorId: 'jane4821',
  linkId,
  agentId,
  at: NOON,
});

interface Told {
  readonly links?: ReturnType<typeof link>[];
  /** What the service lists for an agent, by email or external id. */
  readonly listed?: Readonly<Record<string, readonly object[]>>;
  readonly keyOf?: KeyOf;
  readonly lookupAgent?: boolean;
}

const byId: KeyOf = async (_workspace, { agentId }) => ({ externalId: agentId });

function told({ links = [], listed = {}, keyOf = byId, lookupAgent = true }: Told) {
  const asked: AgentKey[] = [];
  const parts = { links: { inUse: async () => links }, keyOf, now: () => NOON };
  const cobrowse: Parameters<typeof runningSessions>[1]['cobrowse'] = {
    offers: { ...everything, lookupAgent },
    async lookupAgent(key) {
      asked.push(key);
      const sessions = listed['email' in key ? key.email : key.externalId];
      if (sessions === undefined) throw new CobrowseError('not-found', 'Nobody.');
      return { ...AgentSchema.parse({ id: 'agent', sessions }), sessionCount: sessions.length };
    },
  };
  const workspace = { id: 'T1', accountId: 'account', cobrowse };
  const running = (withVisitor: readonly Session[]) =>
    runningSessions(parts, workspace, 'jane4821', withVisitor);
  return { running, asked };
}

const listedWith = (...sessions: readonly object[]) => sessions.map((one) => SessionSchema.parse(one));

describe('the sessions that run with a visitor', () => {
  it('are those listed with the visitor that have not ended, without asking anyone', async () => {
    const { running, asked } = told({ links: [link('l1', 'alex')] });
    const listed = listedWith(endedSession('past'), endedSession('now', open));
    expect(await running(listed)).toEqual(['now']);
    expect(await running(listedWith(endedSession('past')))).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('are otherwise those of the agents whose links are in use, of this visitor alone', async () => {
    const { running, asked } = told({
      links: [link('l1', 'alex'), link('l2', 'alex')],
      listed: {
        alex: [
          endedSession('past'),
          endedSession('here', open),
          endedSession('elsewhere', { ...open, visitor_id: 'liam' }),
          endedSession('named', { ...ofLink('l2'), visitor_id: 'internal-7' }),
          endedSession('of another link', ofLink('l3')),
        ],
      },
    });
    expect(await running([])).toEqual(['here', 'named']);
    expect(asked).toEqual([{ externalId: 'alex' }]);
  });

  it('are found where another agent can’t be named or asked', async () => {
    const { running } = told({
      links: [link('l1', 'kim'), link('l2', 'sam'), link('l3', 'alex')],
      listed: { 'alex@acme.com': [endedSession('now', open)] },
      async keyOf(_workspace, { agentId }) {
        if (agentId === 'kim') throw new Error('The database is away.');
        return { email: `${agentId}@acme.com` };
      },
    });
    expect(await running([])).toEqual(['now']);
  });
});
