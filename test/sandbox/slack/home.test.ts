import { describe, expect, it } from 'vitest';
import manifest from '../../../manifest.json' with { type: 'json' };
import { alex, modal, sam, section, startBoth } from './tiny-app.ts';

const home = (...blocks: readonly object[]) => ({ type: 'home', callback_id: 'home', blocks });
const unsubscribed = { ...manifest, settings: { ...manifest.settings, event_subscriptions: {} } };

it('opening Home tells nobody where the manifest does not subscribe', async () => {
  const { slack, app, trigger } = await startBoth({ manifest: unsubscribed });
  expect(await slack.openHome({ as: alex })).toEqual({ ok: true });
  await trigger();
  expect(app.received.map(({ payload }) => payload['command'])).toEqual(['/cobrowse']);
});

it('an event nobody acknowledges comes again three times, the same, and says why', async () => {
  const { slack, app } = await startBoth({ eventRetryDelaysMs: [0, 0, 0] });
  app.acknowledgeWith((response) => response.writeHead(503).end());
  await slack.openHome({ as: alex });
  const numbers = () => app.received.map(({ headers }) => headers['x-slack-retry-num']);
  await expect.poll(numbers).toEqual([undefined, '1', '2', '3']);
  expect(new Set(app.received.map(({ payload }) => payload['event_id'])).size).toBe(1);
  expect(app.last().headers['x-slack-retry-reason']).toBe('http_error');
});

describe('views.publish', () => {
  it('shows a Home to one person, for good', async () => {
    const { slack, call } = await startBoth();
    await call('views.publish', { user_id: alex, view: home(section('Filled')) });
    slack.reload({ as: alex });
    expect(slack.snapshot(alex).home).toMatchObject({ view: { blocks: [section('Filled')] } });
    expect(slack.snapshot(sam).home).toEqual({ channel: 'D0SAM000002' });
  });

  it('refuses a bad view and people who cannot have one', async () => {
    const { mismatches } = await startBoth();
    const published = { user_id: alex, view: home() };
    const dividers = home(...Array.from({ length: 101 }, () => ({ type: 'divider' })));
    const messages = ['[ERROR] no more than 100 items allowed [json-pointer:/blocks]'];
    const refusal = { error: 'invalid_arguments', response_metadata: { messages } };
    expect(
      await mismatches(
        ['views.publish', { ...published, view: dividers }, refusal],
        ['views.publish', { ...published, view: modal() }, 'invalid_arguments'],
        ['views.publish', { ...published, user_id: 'U404' }, 'user_not_found'],
        ['views.publish', { ...published, user_id: 'U0ERIN00006' }, 'user_not_found'],
      ),
    ).toEqual([]);
  });
});
