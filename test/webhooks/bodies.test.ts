import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import type { IssuedLink } from '../../src/messages/link-request.ts';
import { sessionEndOf } from '../../src/sessions/session-ends.ts';
import {
  linkOpenedBody,
  outcomeChangedBody,
  sessionEndedBody,
  testBody,
  withCustomer,
} from '../../src/webhooks/bodies.ts';

const Body = z.looseObject({ type: z.string(), data: z.record(z.string(), z.unknown()) });

const page = await readFile(new URL('../../docs/outgoing-webhooks.md', import.meta.url), 'utf8');
const examples = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, text = '']) =>
  Body.parse(JSON.parse(text)),
);

const fieldsOf = (all: readonly z.infer<typeof Body>[]) =>
  all.map(({ type, data }) => [type, ...Object.keys(data)]);

const ISSUED = Date.parse('2026-05-04T09:00:00Z');
const ENDED = Date.parse('2026-05-04T09:12:30Z');

const link: IssuedLink = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX',
  visitorId: 'jane4821',
  access: 'point',
  linkId: 'link-1',
  channelId: 'C0SUPPORT',
  threadTs: '1.2',
  notes: 'https://acme.slack.com/archives/C0SUPPORT/p12',
  installId: 'I0',
  ticketUrl: 'https://acme.zendesk.com/agent/tickets/42',
};

const session = SessionSchema.parse({
  id: 'session-1',
  agents: [{ id: 7, name: 'Alex Rivera', email: 'alex@acme.example' }, { id: 8 }],
  started_at: '2026-05-04T11:00:10+02:00',
  ended_at: '2026-05-04T11:12:30+02:00',
  features_used: ['remote_cursor', 'scroll'],
  length_seconds: 740,
  went_live: true,
  session_authorized: true,
  quality_feedback: ['Splendid'],
  video_url: 'https://cobrowse.example/recordings/secret',
  public_video_url: 'https://cobrowse.example/public/secret',
  metadata: { slack_link: 'link-1' },
});

const end = sessionEndOf('end-1', link, session, { receivedAt: ENDED + 2_000, recovered: false });
const cardUrl = 'https://acme.slack.com/archives/C0SUPPORT/p34';
/** As it's sent where an admin wants the customer's name. */
const named = (body: object, name?: string) =>
  Body.parse(JSON.parse(withCustomer(JSON.stringify(body), link.visitorId, { name })));

const common = {
  version: 1,
  workspace_id: 'T0ACME00000',
  link_id: 'link-1',
  customer: { id: 'jane4821', name: 'Jane Cooper' },
  user_id: 'U0ALEX',
  channel_id: 'C0SUPPORT',
  access: 'point',
  ticket: 'https://acme.zendesk.com/agent/tickets/42',
  card_url: cardUrl,
};
const ended = {
  ...common,
  session_id: 'session-1',
  started_at: '2026-05-04T09:00:10.000Z',
  ended_at: '2026-05-04T09:12:30.000Z',
  seconds: 740,
  agents: [
    { id: '7', name: 'Alex Rivera' },
    { id: '8', name: null },
  ],
  tools: ['remote_cursor', 'scroll'],
  was_live: true,
  authorized: true,
  outcome: null,
  recovered: false,
};

describe('a webhook’s body', () => {
  it('says all that it may, and nothing else', () => {
    const opened = { link, agentId: 'alex-1', issuedAt: ISSUED, expiresAt: ISSUED + 60_000 };
    const set = { outcome: 'follow-up', by: 'U0SAM', at: ENDED + 60_000 } as const;
    const before = { ...end, outcome: { outcome: 'other', by: 'U0ALEX', at: ENDED + 5 } } as const;
    const bodies = [
      named(linkOpenedBody(opened, cardUrl), 'Jane Cooper'),
      named(sessionEndedBody(end, cardUrl), 'Jane Cooper'),
      named(outcomeChangedBody(before, set, cardUrl), 'Jane Cooper'),
      testBody('T0ACME00000', ISSUED),
    ];
    expect(bodies).toEqual([
      {
        type: 'watch_link.opened',
        timestamp: '2026-05-04T09:00:00.000Z',
        data: { ...common, expires_at: '2026-05-04T09:01:00.000Z' },
      },
      { type: 'session.ended', timestamp: '2026-05-04T09:12:30.000Z', data: ended },
      {
        type: 'session.outcome_changed',
        timestamp: '2026-05-04T09:13:30.000Z',
        data: { ...ended, outcome: 'follow-up', previous_outcome: 'other', outcome_by: 'U0SAM' },
      },
      {
        type: 'test',
        timestamp: '2026-05-04T09:00:00.000Z',
        data: { version: 1, workspace_id: 'T0ACME00000' },
      },
    ]);
    expect(JSON.stringify(bodies)).not.toMatch(/secret|Splendid|@/);
    expect(fieldsOf(bodies.map((body) => Body.parse(body)))).toEqual(fieldsOf(examples));
  });

  it('names the customer only where it’s asked to, and says null of what isn’t known', () => {
    const { ticketUrl: _ticket, ...others } = link;
    // It was asked for in direct messages.
    const outside = { ...others, channelId: 'D0ALEX00001' };
    const bare = SessionSchema.parse({ id: 'session-1' });
    const { data } = sessionEndedBody(
      { ...end, link: outside, session: bare, seconds: undefined },
      undefined,
    );
    expect(data).toEqual({
      ...ended,
      customer: { id: 'jane4821' },
      channel_id: null,
      ticket: null,
      card_url: null,
      started_at: null,
      ended_at: '2026-05-04T09:12:32.000Z',
      seconds: null,
      agents: [],
      tools: [],
      was_live: null,
      authorized: null,
    });
    // One that nobody accepted took no time.
    const declined = { ...session, went_live: false, session_authorized: false };
    expect(sessionEndedBody({ ...end, session: declined }, undefined).data).toMatchObject({
      seconds: 0,
      was_live: false,
      authorized: false,
    });
    expect(named(linkOpenedBody({ link, agentId: '', issuedAt: ISSUED }, undefined)).data).toEqual({
      ...common,
      customer: { id: 'jane4821', name: null },
      card_url: null,
      expires_at: null,
    });
  });

  it('has each of its fields explained on the page', () => {
    const plain = new Set(['version', 'expires_at', 'started_at', 'ended_at']);
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    const known = examples.flatMap(({ data }) => Object.keys(data)).filter((name) => !plain.has(name));
    expect(known.filter((name) => !rows.some((line) => line.includes(`\`${name}\``)))).toEqual([]);
  });

  it('stays small and well-formed whatever names are', () => {
    const { data } = named(sessionEndedBody(end, undefined), `\uD800${'x'.repeat(100_000)}`);
    expect(data).toMatchObject({ customer: { name: `\uFFFD${'x'.repeat(199)}` } });
  });
});
