import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { blockKitProblems } from '../../sandbox/slack/block-kit.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { STOP_FORM } from '../../src/messages/action-ids.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn, readable } from '../support/person.ts';
import { isForm } from './forms.ts';
import { sendInteraction } from './send-payload.ts';

const Acknowledgement = z.object({ response_action: z.string(), view: z.unknown() });

describe('a modal that Slack or the person doesn’t keep', () => {
  const { sandbox, logLines } = checkedSandbox();
  const say = (text: string): Promise<PageMessage> => personIn(sandbox()).say(text);
  const use = (message: PageMessage, callbackId: string) =>
    sandbox().slack.shortcut({ as: ALEX, channel: SUPPORT, message_ts: message.ts, callback_id: callbackId });
  it.each(['find_visitor', 'look_up_agent', 'stop_session'])(
    'answers by words in the channel where it does not open: %s',
    async (callbackId) => {
      const message = await say('jane@acme.com');
      sandbox().slack.fail('views.open', 'expired_trigger_id');
      const { text } = await personIn(sandbox()).see(() => use(message, callbackId));
      expect(text).toMatch(callbackId === 'look_up_agent' ? /the reference [\w-]{8}\./ : /Jane Cooper/);
    },
  );

  it('says nothing more to a person who closed it', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await say('hello'), 'find_visitor', isForm);
    const before = logLines.length;
    const submitted = alex.submit(form, 'jane@acme.com');
    await sandbox().slack.closeView({ as: ALEX, view_id: form.id });
    await submitted;
    await alex.type('/cobrowse usage');
    expect(alex.views()).toEqual([]);
    expect(logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('answers in place if none opens on top of it', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await say('hello'), 'find_visitor', isForm);
    await alex.submit(form, 'jane');
    const results = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('Jane Cooper'),
    );
    sandbox().slack.fail('views.push', 'expired_trigger_id');
    await alex.pickInView(results, /^Jane Cooper/);
    const details = await alex.modal(({ blocks }) => readable(blocks).includes('Lookup code: 4821'));
    expect(details.id).toBe(results.id);
  });

  it('says that a shortcut is from another version of the app', async () => {
    const payload = {
      type: 'message_action',
      callback_id: 'shortcut_of_next_year',
      trigger_id: 'none',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      channel: { id: SUPPORT },
      response_url: 'http://127.0.0.1:9/nowhere',
      message: { ts: '1.000001', text: 'hello' },
    };
    await sendInteraction(sandbox(), payload);
    // The trigger is invalid, so the answer comes as a message.
    const answer = await sandbox().slack.until(ALEX, ({ messages }) =>
      messages.find(({ text }) => text.includes('from another version')),
    );
    expect(answer.text).toContain('from another version of the app');
  });

  it('says that a form is from another version of the app', async () => {
    const response = await sendInteraction(sandbox(), {
      type: 'view_submission',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      view: { id: 'V1', callback_id: 'old_form', private_metadata: 'no JSON', state: { values: {} } },
    });
    expect(await response.json()).toMatchObject({ response_action: 'update' });
  });

  it.each(['old_form', STOP_FORM.callbackId])(
    'says in the form itself that the app isn’t installed in its workspace: %s',
    async (callbackId) => {
      const response = await sendInteraction(sandbox(), {
        type: 'view_submission',
        team: { id: 'T0GLOBEX000' },
        user: { id: ALEX },
        view: { id: 'V1', callback_id: callbackId, private_metadata: '{}', state: { values: {} } },
      });
      const { response_action: action, view } = Acknowledgement.parse(await response.json());
      expect(action).toBe('update');
      expect(blockKitProblems('modal', view)).toEqual([]);
      expect(JSON.stringify(view)).toContain('isn’t installed in your workspace');
    },
  );
});
