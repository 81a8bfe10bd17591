import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { blockKitProblems } from '../../sandbox/slack/block-kit.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn } from '../support/person.ts';
import { isForm, shows } from './forms.ts';
import { sendInteraction } from './send-payload.ts';

const Acknowledgement = z.object({ response_action: z.string(), view: z.unknown() });

const asAlex = { trigger_id: 'none', team: { id: 'T0ACME00000' }, user: { id: ALEX } };

describe('a modal that Slack or the person doesn’t keep', () => {
  const { sandbox, logLines } = checkedSandbox();
  const say = (text: string) => personIn(sandbox()).say(text);

  const tooLate = /^That took too long to open\. Press it again\./m;
  it.each([
    ['find_visitor', /Jane Cooper/],
    ['stop_session', /^Jane Cooper · jane@acme\.com isn’t in a session right now\.$/],
    ['look_up_agent', tooLate],
  ])('answers by words in the channel where it does not open: %s', async (callback_id, words) => {
    const { slack } = sandbox();
    const { ts: message_ts } = await say('jane@acme.com');
    slack.fail('views.open', 'expired_trigger_id');
    const use = () => slack.shortcut({ as: ALEX, channel: SUPPORT, message_ts, callback_id });
    expect((await personIn(sandbox()).see(use)).text).toMatch(words);
  });

  it('asks to press again by direct message, where there is no channel to answer in', async () => {
    const before = logLines.length;
    sandbox().slack.fail('views.open', 'expired_trigger_id');
    await sandbox().slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
    await personIn(sandbox()).message(({ channel, text }) => channel === 'D0ALEX00001' && tooLate.test(text));
    expect(logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('answers in place if none opens on top of it', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await say('hello'), 'find_visitor', isForm);
    await alex.submit(form, 'jane');
    const results = await alex.modal((view) => view.id === form.id && shows('Jane Cooper')(view));
    sandbox().slack.fail('views.push', 'expired_trigger_id');
    await alex.pickInView(results, /^Jane Cooper/);
    const details = await alex.modal(shows('Lookup code: 4821'));
    expect(details.id).toBe(results.id);
  });

  const view = { id: 'V1', private_metadata: '{}', state: { values: {} } };

  it('says that a form is from another version of the app', async () => {
    const old = { ...view, callback_id: 'old_form', private_metadata: 'no JSON' };
    const response = await sendInteraction(sandbox(), { ...asAlex, type: 'view_submission', view: old });
    expect(await response.json()).toMatchObject({ response_action: 'update' });
    const updates = () => sandbox().slack.calls.filter(({ method }) => method === 'views.update');
    await expect.poll(() => JSON.stringify(updates().at(-1))).toContain('from another version of the app');
  });

  it.each(['old_form', 'stop_form'])(
    'says in the form itself that the app isn’t installed in its workspace: %s',
    async (callback_id) => {
      const response = await sendInteraction(sandbox(), {
        ...asAlex,
        type: 'view_submission',
        team: { id: 'T0GLOBEX000' },
        view: { ...view, callback_id },
      });
      const shown = Acknowledgement.parse(await response.json());
      expect(shown.response_action).toBe('update');
      expect(blockKitProblems('modal', shown.view)).toEqual([]);
      expect(JSON.stringify(shown.view)).toContain('isn’t installed in your workspace');
    },
  );
});
