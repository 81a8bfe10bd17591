import { describe, expect, it } from 'vitest';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { ask, standIn } from './stand-in.ts';

function tell(service: StandInService, body: unknown) {
  return fetch(`${service.url}/stand-in/misbehave`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function statuses(service: StandInService, calls: number) {
  const seen = [];
  for (let call = 0; call < calls; call += 1) seen.push((await ask(service, 'GET /usage')).status);
  return seen;
}

describe('POST /stand-in/misbehave', () => {
  it('makes the next calls fail, and no more', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 503, next: 2 } });
    expect(await statuses(service, 1)).toEqual([503]);
    const current = await fetch(`${service.url}/stand-in/misbehave`);
    expect(await current.json()).toEqual({ fail: { with: 503, next: 1 } });
    expect(await statuses(service, 3)).toEqual([503, 200, 200]);
  });

  it('gives 429 with Retry-After, as said or 1', async () => {
    const service = await standIn();
    await tell(service, { fail: { with: 429 } });
    const usual = await ask(service, 'GET /usage');
    expect([usual.status, usual.headers.get('retry-after')]).toEqual([429, '1']);
    await tell(service, { fail: { with: 503, retryAfterSeconds: 7 } });
    expect((await ask(service, 'GET /usage')).headers.get('retry-after')).toBe('7');
  });
});

it('the limit of API calls is counted by the minute, and reported with Retry-After', async () => {
  let time = new Date('2026-03-01T12:00:00Z');
  const service = await standIn({ callsPerMinute: 2, now: () => time });
  expect(await statuses(service, 2)).toEqual([200, 200]);
  time = new Date('2026-03-01T12:00:45Z');
  const refused = await ask(service, 'GET /usage');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
  time = new Date('2026-03-01T12:01:00Z');
  expect(await statuses(service, 1)).toEqual([200]);
});
