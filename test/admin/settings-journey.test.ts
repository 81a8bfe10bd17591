import { describe, expect, it } from 'vitest';
import { SETTINGS_FORM as FORM } from '../../src/messages/action-ids.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, buttonsIn, personIn, readable } from '../support/person.ts';
import { signedSender } from '../support/signed.ts';

const clock = { ahead: 0 };
const { sandbox, logLines } = checkedSandbox({ now: () => Date.now() + clock.ahead });

/** Opens the form as Ada. */
async function openForm() {
  const ada = atHome(sandbox(), ADA);
  await ada.open();
  const form = await ada.pressFor(/^Change: Access/, /Channel override/);
  return { ada, form };
}

/** What the menu beside Watch offers Alex. */
async function accessLevelsOffered(): Promise<string> {
  const answer = await personIn(sandbox()).type('/cobrowse watch jane4821');
  return readable(answer.blocks);
}

describe('the settings in the Home tab', () => {
  it('ask the admins for the default access until one of them chooses, at home or in the greeting', async () => {
    const ada = atHome(sandbox(), ADA);
    expect(readable(await ada.open())).toContain('Until an admin chooses, Watch gives full control.');
    const greeting = await sandbox().slack.until(ADA, ({ messages }) =>
      messages.find(({ text }) => text.includes('Choose the default access')),
    );
    const chosen = await ada.filledAfter(() => ada.pressFor(/^Keep full control by default/, /Saved\./), 1);
    expect(readable(chosen)).not.toContain('Until an admin chooses');
    const again = await personIn(sandbox(), ADA, greeting.channel).pressFor(
      greeting,
      /^View only by default/,
    );
    expect(again.text).toContain(`<@${ADA}> already chose the default access: full control.`);
    const alex = atHome(sandbox(), ALEX);
    expect(readable(await alex.open())).not.toContain('default access');
    for (const { id } of ada.views()) await sandbox().slack.closeView({ as: ADA, view_id: id });
  });

  it('are changed by an admin, count at once, and the log says by whom', async () => {
    expect(await accessLevelsOffered()).toContain('full control');
    const { ada, form } = await openForm();
    expect(form.title).toBe('Access');
    const home = await ada.saved(form, {
      [FORM.mostBlock]: 'point',
      [FORM.usualBlock]: 'view',
      [FORM.channelBlock]: SALES,
      [FORM.channelAccessBlock]: 'point',
    });
    expect(ada.views()).toEqual([]);
    const text = JSON.stringify(home);
    expect(text).toContain('"text":"point and scroll"');
    expect(text).toContain(`"channel_id":"${SALES}"`);
    const offered = await accessLevelsOffered();
    expect(offered).toContain('point and scroll');
    expect(offered).not.toContain('full control');
    const line = logLines.find((one) => one.includes('"setting":"maxAccess"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      audit: { action: 'setting', userId: ADA, detail: { from: '"full"', to: '"point"' } },
    });
  });

  it('stay as they are where the form is not right, and the field says why', async () => {
    const { ada, form } = await openForm();
    await ada.save(form, {
      [FORM.mostBlock]: 'view',
      [FORM.usualBlock]: 'full',
    });
    const shown = await sandbox().slack.until(ADA, ({ views }) =>
      views.find(({ errors }) => Object.keys(errors).length > 0),
    );
    expect(shown.errors).toEqual({
      [FORM.usualBlock]: 'This is more than the maximum above: view only.',
    });
    await sandbox().slack.closeView({ as: ADA, view_id: form.id });
  });

  it('are not shown to others, and no forged form of theirs is saved', async () => {
    const alex = atHome(sandbox(), ALEX);
    const blocks = await alex.open();
    expect(readable(blocks)).not.toContain('Settings');
    expect(buttonsIn(blocks).map(({ text }) => text.text)).not.toContain('Settings');
    const before = readable(await atHome(sandbox(), ADA).open());
    const { ada, form } = await openForm();
    const payload = {
      type: 'view_submission',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      view: {
        id: form.id,
        callback_id: FORM.callbackId,
        state: {
          values: Object.fromEntries(
            [FORM.mostBlock, FORM.usualBlock].map((block) => [
              block,
              { [FORM.input]: { type: 'static_select', selected_option: { value: 'view' } } },
            ]),
          ),
        },
      },
    };
    const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const answer = await signedSender(sandbox())(body);
    expect(await answer.text()).toContain('Nothing changed.');
    await sandbox().slack.closeView({ as: ADA, view_id: form.id });
    expect(readable(await ada.open())).toBe(before);
    const line = logLines.find((one) => one.includes('"action":"refusal"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      audit: { userId: ALEX, outcome: 'not-admin', detail: { act: 'settings' } },
    });
  });

  it('are not saved while Slack cannot say who is an admin', async () => {
    const { ada, form } = await openForm();
    // What Slack said a moment ago counts no more.
    clock.ahead += 5_000;
    sandbox().slack.fail('users.info', 'internal_error');
    await ada.save(form, { [FORM.mostBlock]: 'view', [FORM.usualBlock]: 'view' });
    const shown = await sandbox().slack.until(ADA, ({ views }) =>
      views.find(({ blocks }) =>
        readable(blocks).includes('The app couldn’t check your permission with Slack'),
      ),
    );
    await sandbox().slack.closeView({ as: ADA, view_id: shown.id });
    expect(readable(await ada.open())).toContain('Maximum access: point and scroll');
  });
});
