import { describe, expect, it } from 'vitest';
import { agent, gatherWith, notFound, profile, visitor } from './sources.ts';
import type { HomeService } from './sources.ts';

/** What the Home lists for a viewer of that time zone. */
async function sessionsOf(utcOffsetSeconds: number, lookupAgent: HomeService['lookupAgent']) {
  const who = { ...profile, utcOffsetSeconds };
  const { gather } = gatherWith({ profileOf: async () => who }, { lookupAgent });
  const { day } = await gather();
  if ('failed' in day) throw new Error(day.failed.text);
  const { latest, earlier } = day.had;
  return { earlier, sessions: latest.flatMap((one) => ('session' in one ? [one.session] : [])) };
}

describe('who the viewer is to the service', () => {
  it('is left open while Slack does not show the profile, and the rest is there', async () => {
    const failure = new Error('ratelimited');
    const { gather, reported } = gatherWith(
      { profileOf: () => Promise.reject(failure) },
      { listVisitors: async () => [visitor('jane')] },
    );
    const content = await gather();
    expect(content?.you).toEqual({ had: { is: 'no-profile' } });
    expect(content?.online).toMatchObject({ had: { others: [{ short_id: 'jane' }] } });
    expect(content).not.toHaveProperty('settings');
    expect(reported).toEqual([failure]);
  });
});

describe('the viewer’s sessions today', () => {
  const starts = ['2026-03-03T18:00:00Z', '2026-03-04T09:00:00Z', '2026-03-04T01:00:00Z', 'soon'];

  it.each([
    ['UTC', 0, ['2026-03-04T09:00:00Z', '2026-03-04T01:00:00Z']],
    ['Kolkata', 19_800, ['2026-03-04T09:00:00Z', '2026-03-04T01:00:00Z']],
    ['Tokyo', 32_400, ['2026-03-04T09:00:00Z', '2026-03-04T01:00:00Z', '2026-03-03T18:00:00Z']],
    ['Los Angeles', -28_800, ['2026-03-04T09:00:00Z']],
  ])('are those begun since midnight in %s, latest first', async (_city, offset, expected) => {
    const found = await sessionsOf(offset, async (key) =>
      'email' in key ? agent('a', ...starts) : notFound(),
    );
    expect(found.sessions.map((session) => session.started_at)).toEqual(expected);
    expect(found.earlier).toBe(0);
  });

  it('are found under both names of the viewer, each session once', async () => {
    const found = await sessionsOf(0, async (key) =>
      'email' in key
        ? agent('a', '2026-03-04T08:00:00Z', '2026-03-04T09:00:00Z')
        : agent('b', '2026-03-04T09:00:00Z', '2026-03-04T07:00:00Z'),
    );
    expect(found.sessions.map(({ id }) => id)).toEqual([
      'at 2026-03-04T09:00:00Z',
      'at 2026-03-04T08:00:00Z',
      'at 2026-03-04T07:00:00Z',
    ]);
  });

  it('are found for a person whom the service knows only by their links', async () => {
    const found = await sessionsOf(0, async (key) =>
      'externalId' in key ? agent('b', '2026-03-04T07:00:00Z') : notFound(),
    );
    expect(found.sessions).toHaveLength(1);
  });

  it('are the latest eight and the number of the others', async () => {
    const many = Array.from({ length: 9 }, (_nothing, hour) => `2026-03-04T0${hour}:00:00Z`);
    const found = await sessionsOf(0, async () => agent('a', ...many));
    expect([found.sessions.length, found.earlier]).toEqual([8, 1]);
  });
});
