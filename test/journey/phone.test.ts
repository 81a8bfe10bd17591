import { beforeEach, describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import type { Message } from '../../src/messages/message.ts';
import { visitorCard } from '../../src/visitors/visitor-card.ts';
import { visitorList } from '../../src/visitors/visitor-list.ts';
import { useStage } from '../sandbox/page/stage.ts';
import { hasChromium, useChromium } from '../support/chromium.ts';

const tools = {
  at: new Date(),
  canStop: true,
  targetsOf: (value: string) => ({
    usual: { value },
    choices: [
      { access: 'full', target: { value: `${value} full` } },
      { access: 'view', target: { value: `${value} view` } },
    ] as const,
  }),
};

const customers = [
  'Jane Cooper',
  'Liam O’Brien',
  'Sofía Martínez',
  'Amara Okafor',
  'Noah Schmidt',
  'Jane Park',
].map((name, index) =>
  VisitorSchema.parse({
    short_id: `v${index}`,
    identities: [name],
    email: `${name.split(' ')[0]?.toLowerCase()}@globex.example`,
    is_online: index < 3,
    last_url: 'https://shop.acme.example/checkout',
    last_seen_at: new Date(Date.now() - 3_600_000).toISOString(),
  }),
);

/** Everything that a card can show, and more of each than it shows. */
const wellKnown = VisitorSchema.parse({
  short_id: 'known',
  identities: ['Maria Fernanda Rodríguez', 'mfr', 'Mafe'],
  email: 'maria.fernanda@wayne.example',
  is_online: true,
  is_in_session: true,
  last_url: 'https://shop.acme.example/products/garden-chair',
  lookup_code: '5512',
  tags: ['vip', 'wholesale', 'checkout'],
  unique_id: 'customer-10017',
  integration: 'zendesk',
  added_at: '2025-03-01T10:00:00Z',
  location_city: 'Guadalajara',
  location_country_name: 'Mexico',
  device_name: 'Pixel 9',
  browser_name: 'Chrome Mobile',
  history: Array.from({ length: 12 }, (_, index) => ({
    url: `https://shop.acme.example/products/garden-chair-${index}`,
    viewed_at: new Date(Date.UTC(2026, 2, 1, 10, index)).toISOString(),
  })),
  sessions: [1, 2, 3, 4].map((day) => ({
    id: `s${day}`,
    started_at: `2026-03-0${day}T10:00:00Z`,
    ended_at: `2026-03-0${day}T10:12:00Z`,
    length_seconds: 720,
    agents: [{ id: 'a', name: 'Alex Rivera' }],
    features_used: ['click', 'scroll', 'remote_cursor'],
  })),
});

describe.skipIf(!hasChromium)('an answer on a phone', () => {
  const browser = useChromium();
  const stage = useStage(browser);

  beforeEach(() => stage().page.setViewportSize({ width: 390, height: 844 }));

  /** Posts it, and gives where it begins and ends: Slack scrolls to the end of an answer. */
  async function placeOf({ text, blocks }: Message, words: string) {
    const { page, channel } = stage();
    await stage().call('chat.postMessage', { channel, text, blocks });
    const article = page.getByRole('article').filter({ hasText: words });
    await article.waitFor();
    const log = await page.getByRole('log').boundingBox();
    const first = await article.getByText(words).first().boundingBox();
    return (first?.y ?? 0) - (log?.y ?? 0);
  }

  it('shows a whole page of customers, with who is online above who is not', async () => {
    const total = customers.length;
    const page = { query: '', offset: 0, visitors: customers, total: total + 1, isCut: false, next: '{}' };
    expect(await placeOf(visitorList(page, tools), 'Recent customers 1 to 6')).toBeGreaterThan(0);
  });

  it('shows the name and Watch of a customer above all that is known of them', async () => {
    expect(await placeOf(visitorCard(wellKnown, tools), 'Maria Fernanda Rodríguez')).toBeGreaterThan(0);
    const { page } = stage();
    const [watch, history] = await Promise.all(
      [
        page.getByRole('button', { name: /^Watch/ }).first(),
        page.getByText('Pages seen', { exact: true }).first(),
      ].map((place) => place.boundingBox()),
    );
    expect(watch?.y).toBeLessThan(history?.y ?? 0);
  });
});
