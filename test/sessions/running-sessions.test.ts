import { describe, expect, it } from 'vitest';
import type { AgentKey } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, SessionSchema } from '../../src/cobrowse/schemas.ts';
import { createRunningSessions } from '../../src/sessions/running-sessions.ts';
import { endedSession } from './ended-session.ts';
import { everything } from '../home/sources.ts';
import { ALEX } from '../support/person.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const running = { ended_at: null };
const ofLink = (slack_link: string) => ({ ...running, metadata: { slack_link } });

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
  readonly email?: () => Promise<string | undefined>;
  readonly lookupAgent?: boolean;
}

function told({ links = [], listed = {}, email = async () => 'alex@acme.com', lookupAgent = true }: Told) {
  const asked: AgentKey[] = [];
  const runningSessions = createRunningSessions({
    links: { inUse: async () => links },
    emailOf: email,
    now: () => NOON,
    cobrowseOf: async () => ({
      offers: { ...everything, lookupAgent },
      async lookupAgent(key) {
        asked.push(key);
        const sessions = listed['email' in key ? key.email : key.externalId];
        if (sessions === undefined) throw new CobrowseError('not-found', 'Nobody.');
        return { ...AgentSchema.parse({ id: 'agent', sessions }), sessionCount: sessions.length };
      },
    }),
  });
  return { runningSessions, asked };
}

const listedWith = (...sessions: readonly object[]) => sessions.map((one) => SessionSchema.parse(one));

describe('the sessions that run with a visitor', () => {
  it('are those listed with the visitor that have not ended, without asking anyone', async () => {
    const { runningSessions, asked } = told({ links: [link('l1', 'alex')] });
    const listed = listedWith(endedSession('past'), endedSession('now', running));
    expect(await runningSessions('T1', 'jane4821', listed)).toEqual(['now']);
    expect(await runningSessions('T1', 'jane4821', listedWith(endedSession('past')))).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('are otherwise those of the agents whose links are in use, by id and by email, of this visitor alone', async () => {
    const { runningSessions, asked } = told({
      links: [link('l1', 'alex'), link('l2', 'alex')],
      listed: {
        alex: [
          endedSession('past'),
          endedSession('here', running),
          endedSession('elsewhere', { ...running, visitor_id: 'liam' }),
        ],
        'alex@acme.com': [
          endedSession('here', running),
          endedSession('named', { ...ofLink('l2'), visitor_id: 'internal-7' }),
          endedSession('of another link', ofLink('l3')),
        ],
      },
    });
    expect(await runningSessions('T1', 'jane4821', [])).toEqual(['here', 'named']);
    expect(asked).toEqual([{ externalId: 'alex' }, { email: 'alex@acme.com' }]);
  });

  it.each<[string, Told]>([
    ['no link is in use', { listed: { alex: [endedSession('now', running)] } }],
    ['the service knows nobody', { links: [link('l1', 'alex')] }],
    ['the service can’t look up agents', { links: [link('l1', 'alex')], lookupAgent: false }],
  ])('are unknown where %s', async (_why, about) => {
    expect(await told(about).runningSessions('T1', 'jane4821', [])).toEqual([]);
  });

  it('are found without Slack, which may not say the email', async () => {
    const { runningSessions } = told({
      links: [link('l1', 'alex')],
      listed: { alex: [endedSession('now', running)] },
      email: () => Promise.reject(new Error('Slack is away')),
    });
    expect(await runningSessions('T1', 'jane4821', [])).toEqual(['now']);
  });
});
