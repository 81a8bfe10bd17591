import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionSchema } from '../../../src/cobrowse/schemas.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createSessionEnds, sessionEndOf } from '../../../src/sessions/session-ends.ts';
import { createSessionOwners, removeOldOwners } from '../../../src/sessions/session-links.ts';
import { endLink, createWatchLinks, recordLink } from '../../../src/sessions/watch-links.ts';
import { engines } from '../../support/engines.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { resultOf } from '../../sessions/link-result.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const WEEK_MS = 7 * 24 * 60 * 60_000;
const link = (linkId: string) => ({ ...alexInSupport, linkId });

describe.each(engines)('which link a session belongs to, in $engine', ({ newUrl }) => {
  const open = async () => {
    const clock = { time: NOON };
    const now = () => clock.time;
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    return { clock, database, now, owners: createSessionOwners(database, now) };
  };

  it('is decided by whoever asks first, of many at the same time, and stays so', async () => {
    const { owners } = await open();
    const given = await Promise.all(['a', 'b', 'c', 'd'].map((id) => owners.assign('s1', link(id))));
    expect(given.filter(Boolean)).toHaveLength(1);
    const owner = ['a', 'b', 'c', 'd'][given.indexOf(true)] ?? '';
    expect(await owners.of(alexInSupport.workspaceId, 's1')).toBe(owner);
    expect(await owners.assign('s1', link(owner))).toBe(true);
    expect(await owners.of('T0OTHER', 's1')).toBeUndefined();
  });

  it('is open again a week after it was last decided, removed or not', async () => {
    const { owners, clock, database } = await open();
    await owners.assign('s1', link('a'));
    await owners.assign('s2', link('a'));
    clock.time += WEEK_MS;
    expect(await owners.of(alexInSupport.workspaceId, 's1')).toBeUndefined();
    expect(await owners.assign('s1', link('b'))).toBe(true);
    const [removed] = await database.write(removeOldOwners(clock.time, 500));
    expect(removed?.changed).toBe(1);
    expect(await owners.of(alexInSupport.workspaceId, 's1')).toBe('b');
  });

  it('is the one from the webhook, whoever asked for it before', async () => {
    const { owners, database, now } = await open();
    const told = link('a');
    await owners.assign('s1', link('b'));
    const session = SessionSchema.parse({ ...endedSession('s1'), metadata: { slack_link: told.linkId } });
    const end = sessionEndOf('end-1', told, session, { receivedAt: NOON, recovered: false });
    await createSessionEnds(database).record(end, []);
    expect(await owners.of(told.workspaceId, 's1')).toBe('a');
    expect(await owners.assign('s1', link('b'))).toBe(false);
    expect(await owners.assign('s1', told)).toBe(true);
    await database.write(recordLink({ link: told, agentId: 'agent_alex', issuedAt: NOON }, { lookAt: NOON }));
    await database.write(endLink(told, { sessionId: 's1', endedAt: NOON }));
    expect(await resultOf(createWatchLinks(database, now), told)).toMatchObject({ endedAt: NOON });
  });
});
