import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { ask, standIn } from './stand-in.ts';

const seen = z.object({ visitor: z.object({ is_online: z.boolean(), last_url: z.string().nullable() }) });

const list = z.object({ visitors: z.array(z.object({ short_id: z.string() })) });

async function visitor(service: StandInService, visitorId: string) {
  return seen.parse(await (await ask(service, `GET /visitors/${visitorId}`)).json()).visitor;
}

const start = 'https://shop.acme.example/account';
const walker = { short_id: 'w', is_online: true, last_url: start };
const lively = { lively: true, lifeIntervalMs: 5 };

describe('life in the stand-in service', () => {
  it('moves visitors from page to page', async () => {
    const service = await standIn({ ...lively, seed: [walker], chance: () => 0.5 });
    await expect.poll(async () => (await visitor(service, 'w')).last_url).not.toBe(start);
  });

  it('lets visitors come and go', async () => {
    const service = await standIn({ ...lively, seed: [walker], chance: () => 0.9 });
    await expect.poll(async () => (await visitor(service, 'w')).is_online).toBe(false);
    await expect.poll(async () => (await visitor(service, 'w')).is_online).toBe(true);
  });

  it('never lifts the hostile names of the sandbox above others who are online', async () => {
    let moments = 0;
    // All come and go, and open pages, in turns.
    const chance = () => {
      moments += 1;
      return (moments * 0.37) % 1;
    };
    const service = await standIn({ lively: true, lifeIntervalMs: 1, chance });
    await expect.poll(() => moments).toBeGreaterThan(400);
    const { visitors } = list.parse(await (await ask(service, 'GET /list?search=online')).json());
    const ids = visitors.map(({ short_id }) => short_id);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids.slice(-2)).toEqual(['evil1', 'long3']);
  });

  it('happens only if it is asked for', async () => {
    let moments = 0;
    const chance = () => (moments += 1);
    const service = await standIn({ seed: [walker], chance, lifeIntervalMs: 1 });
    await visitor(service, 'w');
    expect(moments).toBe(0);
  });
});
