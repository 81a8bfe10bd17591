import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { visitorPage } from '../live/sides.ts';
import { ask, standIn } from './stand-in.ts';

const list = z.object({ visitors: z.array(z.object({ short_id: z.string() })) });

const walker = { short_id: 'w', is_online: true, last_url: 'https://shop.acme.example/account' };

describe('life in the stand-in service', () => {
  it.each([
    ['moves visitors from page to page', 0.5, [{ last_url: 'https://shop.acme.example/cart' }]],
    ['lets visitors come and go', 0.9, [{ is_online: false }, { is_online: true }]],
  ])('%s', async (_what, chance, states) => {
    const service = await standIn({ lively: true, lifeIntervalMs: 5, seed: [walker], chance: () => chance });
    const seen = async () => (await ask(service, 'GET /visitors/w')).json();
    for (const visitor of states) await expect.poll(seen).toMatchObject({ visitor });
  });

  it.each([
    ['amara7', false],
    ['jane4821', true],
  ])('has %s as they were before a page of theirs came and left', async (visitorId, isOnline) => {
    const service = await standIn();
    const seen = async () => (await ask(service, `GET /visitors/${visitorId}`)).json();
    const page = await visitorPage(service, visitorId);
    await expect.poll(seen).toMatchObject({ visitor: { is_online: true } });
    await page.until(({ t }) => t === 'welcome');
    page.leave();
    await page.closed;
    await expect.poll(seen).toMatchObject({ visitor: { is_online: isOnline } });
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
});
