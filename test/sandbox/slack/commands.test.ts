import { isValidSlackRequest } from '@slack/bolt';
import { describe, expect, it } from 'vitest';

import { alex, json, sales, sam, signingSecret, startBoth, support } from './tiny-app.ts';

const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('a slash command', () => {
  it("arrives with a signature that Slack's own verifier accepts, and with every field", async () => {
    await using both = await startBoth();
    await both.slack.command(find);
    const { headers, body, form } = both.app.last();
    const signed = {
      'x-slack-signature': String(headers['x-slack-signature']),
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    };
    expect(isValidSlackRequest({ signingSecret, body, headers: signed })).toBe(true);
    expect(isValidSlackRequest({ signingSecret, body: `${body}x`, headers: signed })).toBe(false);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(form).toMatchObject({
      command: '/cobrowse',
      text: 'find <mailto:jane@acme.com|jane@acme.com>',
      user_id: alex,
      user_name: 'alex',
      channel_id: support,
      channel_name: 'support',
      team_id: 'T0ACME00000',
      team_domain: 'acme',
      api_app_id: 'A0COBROWSE',
      is_enterprise_install: 'false',
    });
    expect(form['response_url']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/response\//u);
    expect(form['trigger_id']).toBeTruthy();
  });

  it('shows the acknowledgement to the person alone, or to all with in_channel', async () => {
    await using both = await startBoth();
    both.app.acknowledgeWith((response) => response.end('Looking.'));
    await both.slack.command(find);
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ text: 'Looking.', ephemeral: true });
    expect(JSON.stringify(both.slack.snapshot(sam))).not.toContain('Looking.');
    both.app.acknowledgeWith(json({ response_type: 'in_channel', text: 'Found.' }));
    await both.slack.command(find);
    expect(both.slack.snapshot(sam).messages.at(-1)).toMatchObject({ text: 'Found.', ephemeral: false });
    expect(both.slack.calls).toEqual([
      { method: 'ack', args: 'Looking.' },
      { method: 'ack', args: { response_type: 'in_channel', text: 'Found.' } },
    ]);
  });

  it('tells the person that the app was too slow', async () => {
    await using both = await startBoth({ ackLimitMs: 1_500 });
    both.app.acknowledgeWith(() => {});
    await both.slack.command(find);
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({
      text: '/cobrowse failed with the error "operation_timeout"',
      ephemeral: true,
      from_slack: true,
    });
  });

  it.each([
    ['fails', 500],
    ['answers another success than 200', 204],
    ['redirects', 302],
  ])('tells the person when the app %s', async (_name, status) => {
    await using both = await startBoth();
    both.app.acknowledgeWith((response) => response.writeHead(status, { location: both.app.url }).end());
    await both.slack.command(find);
    const words = '/cobrowse failed because the app did not respond.';
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ text: words, from_slack: true });
    expect(both.app.received).toHaveLength(1);
  });

  it('tells the person when the answer has bad blocks', async () => {
    await using both = await startBoth();
    both.app.acknowledgeWith(json({ text: 'x', blocks: [{ type: 'marquee' }] }));
    await both.slack.command(find);
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toBe(
      '/cobrowse failed with the error "invalid_blocks"',
    );
  });

  it('works where the app is no member, and not where the person is none', async () => {
    await using both = await startBoth();
    expect(await both.slack.command({ ...find, channel: sales })).toEqual({ ok: true });
    expect(both.app.last().form['channel_name']).toBe('sales');
    expect(await both.slack.command({ ...find, as: 'U0GUEST0004', channel: sales })).toMatchObject({
      ok: false,
    });
    await both.slack.command({ ...find, channel: 'D0ALEX00001' });
    expect(both.app.last().form['channel_name']).toBe('directmessage');
    expect(both.app.received).toHaveLength(2);
  });

  it('unknown to the app is answered by Slackbot', async () => {
    await using both = await startBoth();
    await both.slack.command({ ...find, text: '/browse find jane' });
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toMatch(/^\/browse is not a valid command\./u);
    expect(both.app.received).toEqual([]);
  });
});

describe('an ordinary message', () => {
  it('is stored in escaped form and goes to no app', async () => {
    await using both = await startBoth();
    await both.slack.message({ as: sam, channel: support, text: 'Ask jane@acme.com <now>' });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({
      user: sam,
      text: 'Ask <mailto:jane@acme.com|jane@acme.com> &lt;now&gt;',
      ephemeral: false,
    });
    expect(both.app.received).toEqual([]);
  });
});
