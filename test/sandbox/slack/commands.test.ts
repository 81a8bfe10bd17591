import { describe, expect, it, onTestFinished } from 'vitest';
import { afterTime } from '../../../sandbox/time-limit.ts';
import { alex, json, sam, startBoth, support, type Respond } from './tiny-app.ts';

const silent = 'because the app did not respond.';
const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('a slash command', () => {
  it('is over after three seconds without an acknowledgement, as the person is told', async () => {
    const { slack, app, last } = await startBoth();
    app.acknowledgeWith(() => {});
    const passed: number[] = [];
    for (const ms of [2_000, 6_000]) onTestFinished(afterTime(ms, () => passed.push(ms)));
    await slack.command(find);
    expect(passed).toEqual([2_000]);
    expect(last()?.text).toBe('/cobrowse failed with the error "operation_timeout"');
  });

  it.each<[string, Respond, string]>([
    ['fails', (response) => response.writeHead(500).end(), silent],
    ['answers 204', (response) => response.writeHead(204).end(), silent],
    ['redirects', (response) => response.writeHead(302, { location: '/' }).end(), silent],
    ['answers bad blocks', json({ text: 'x', blocks: [{}] }), 'with the error "invalid_blocks"'],
  ])('tells the person alone when the app %s', async (_name, answer, why) => {
    const { slack, app, last, seen } = await startBoth();
    app.acknowledgeWith(answer);
    await slack.command(find);
    expect(last()).toMatchObject({ text: `/cobrowse failed ${why}`, ephemeral: true, from_slack: true });
    expect(seen(sam)).not.toContain('cobrowse failed');
    expect(app.received).toHaveLength(1);
  });
});
