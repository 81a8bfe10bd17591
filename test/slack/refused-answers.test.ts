import { describe, expect, it } from 'vitest';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn, readable } from '../support/person.ts';
import { isForm, shows } from './forms.ts';

const PLAIN = 'so here it is as plain text, without buttons';

describe('an answer that Slack refuses', () => {
  const { sandbox, logLines } = checkedSandbox();
  const logged = (code: string) =>
    logLines.some((line) => line.includes('the answer could not be delivered') && line.includes(code));

  it.each<[Parameters<StandInSlack['fail']>[1], string]>([
    ['invalid_blocks', 'invalid_blocks'],
    ['msg_too_long', 'msg_too_long'],
    [{ status: 400 }, 'Slack answered 400'],
  ])('to a command comes as plain text, and the refusal is in the log: %j', async (how, code) => {
    sandbox().slack.fail('response_url', how);
    // The app is not in the channel, so that only the response address is left.
    sandbox().slack.fail('chat.postEphemeral', 'channel_not_found');
    const answer = await personIn(sandbox()).type('/cobrowse usage');
    expect(answer.text).toContain(PLAIN);
    expect(readable(answer.blocks)).toContain('Co-browsing account usage');
    expect(logged(code)).toBe(true);
  });

  it('in a modal comes as plain text', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await alex.say('hello'), 'find_visitor', isForm);
    sandbox().slack.fail('views.update', 'view_too_large');
    await alex.submit(form, 'jane@acme.com');
    const results = await alex.modal(shows(PLAIN));
    expect(readable(results.blocks)).toContain('Jane Cooper');
    expect(logged('view_too_large')).toBe(true);
    sandbox().slack.reload({ as: ALEX });
  });

  it('in the Home comes as words there', async () => {
    const alex = atHome(sandbox(), ALEX);
    sandbox().slack.fail('views.publish', 'invalid_arguments', 2);
    await sandbox().slack.openHome({ as: ALEX });
    await sandbox().slack.until(ALEX, ({ home }) =>
      readable(home?.view?.blocks ?? []).includes('Something went wrong in the app'),
    );
    await alex.refresh();
    expect(logLines.some((line) => line.includes('invalid_arguments') && line.includes('"home"'))).toBe(true);
  });
});

describe('an answer whose response address fails', () => {
  const { sandbox, logLines } = checkedSandbox();

  it.each(['used_url', 'lose-answer', { status: 500 }])(
    'comes as an ephemeral message: %j',
    async (failure) => {
      sandbox().slack.fail('response_url', failure);
      const answer = await personIn(sandbox()).type('/cobrowse usage');
      expect(answer).toMatchObject({ ephemeral: true, channel: SUPPORT });
      expect(answer.text).toContain('Co-browsing account usage');
    },
  );

  it('is mentioned in a direct message, and logged, without its words, where that fails, too', async () => {
    sandbox().slack.fail('response_url', 'used_url');
    sandbox().slack.fail('chat.postEphemeral', 'user_not_in_channel');
    await sandbox().slack.command({ as: ALEX, channel: SUPPORT, text: '/cobrowse find jane@acme.com' });
    const told = /didn’t confirm that you got the answer/;
    const message = await personIn(sandbox()).message(({ text }) => told.test(text));
    expect(message).toMatchObject({ ephemeral: false, channel: 'D0ALEX00001' });
    expect(message.text).not.toContain('jane');
    expect(logLines.join('')).toMatch(/user_not_in_channel.*the answer could not be delivered/);
    expect(logLines.join('')).not.toContain('jane@acme.com');
  });
});
