import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { match } from '../../src/sessions/session-links.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { MINUTE_MS, openPollerStage, passMinutes } from './poller-stage.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** A link to Jane's screen, issued in that minute; numbered from 1. */
function issued(minute: number, index: number, livesMinutes: number | undefined = 5) {
  const issuedAt = NOON + minute * MINUTE_MS;
  return {
    link: { ...alexInSupport, linkId: `link-${index + 1}` },
    agentId: 'agent_alex',
    issuedAt,
    expiresAt: issuedAt + livesMinutes * MINUTE_MS,
  };
}

/** A session that began in that minute; `link` is the one it names. */
function listed(id: string, minute: number, { link = '', visitor_id = 'jane4821' } = {}) {
  const metadata = link === '' ? null : { slack_link: link };
  const started_at = new Date(NOON + minute * MINUTE_MS).toISOString();
  return SessionSchema.parse(endedSession(id, { visitor_id, started_at, metadata }));
}

const matched = (...asked: Parameters<typeof match>) =>
  Array.from(match(...asked), ([link, sessions]) => `${sessions.map(({ id }) => id).join()} to ${link}`);

const of = (link: string) => ({ link });
const both = ['a to link-1', 'b to link-2'];

describe('a session that was listed', () => {
  it.each([
    ['isn’t used if it is one of another visitor', [0], [listed('a', 1, { visitor_id: 'liam0042' })], []],
    ['isn’t used if it is from before the link', [0], [listed('a', -4)], []],
    ['isn’t used if it is from after the link’s time', [0], [listed('a', 9)], []],
    ['is found with clocks two minutes behind', [0], [listed('a', -2)], ['a to link-1']],
    ['is found with clocks two minutes ahead', [0], [listed('a', 2)], ['a to link-1']],
    ['belongs to the nearest of two links', [0, 4], [listed('a', 4.5)], ['a to link-2']],
    ['isn’t used if it names another link', [0], [listed('a', 1, of('link-9'))], []],
    [
      'belongs to the link that it names, however near another is',
      [0, 3],
      [listed('a', 4, of('link-1')), listed('b', 3.5, of('link-2'))],
      both,
    ],
    ['leaves another to a link without one', [0, 1], [listed('a', 1, of('link-1')), listed('b', 0.5)], both],
  ])('%s', (_what, links, sessions, expected) => {
    const open = links.map((minute, index) => issued(minute, index));
    expect(matched(open, sessions)).toEqual(expected);
  });
});

describe('sessions of a link that was opened twice', () => {
  it('are all found, one after the other', async () => {
    const stage = await openPollerStage();
    const { linkId } = await stage.issueLink('jane4821');
    const first = { id: 's1', startMinute: 1, endMinute: 2, linkId };
    stage.list(first, { id: 's2', startMinute: 3, linkId });
    await passMinutes(15);
    expect(stage.given()).toEqual([`s1 to ${linkId}`]);
    stage.list(first, { id: 's2', startMinute: 3, endMinute: 16, linkId });
    await passMinutes(15);
    expect(stage.given()).toEqual([`s1 to ${linkId}`, `s2 to ${linkId}`]);
  });
});

describe('the agent to look up', () => {
  it('may be unknown to the service: then there was no session', async () => {
    const stage = await openPollerStage({
      answer: () => new CobrowseError('not-found', 'GET /agents/lookup: answered 404'),
    });
    await stage.issueLink('jane4821');
    await passMinutes(20);
    expect(stage.shown).toEqual(['grant-1 unused']);
  });
});

describe('a link of an account that is no longer in force', () => {
  it.each([
    ['the operator’s', undefined, 'own'],
    ['the workspace’s own', 'own', 'another'],
    ['one that was disconnected', 'own', undefined],
  ])('ends as unknown, without asking the new account about it: %s', async (_whose, before, after) => {
    const stage = await openPollerStage();
    stage.connect(before);
    const link = await stage.issueLink('jane4821');
    // The new account would list a session that seems to be its.
    stage.list({ id: 's1', startMinute: 1, endMinute: 3, linkId: link.linkId });
    stage.connect(after);
    await passMinutes(15);
    expect(stage.lookups).toEqual([]);
    expect(stage.results).toEqual([`${link.linkId} unknown`]);
    expect(stage.shown).toEqual([`${link.linkId} unknown`]);
    expect(await stage.links.lookedFor(link.workspaceId, link.userId)).toEqual([]);
  });
});
