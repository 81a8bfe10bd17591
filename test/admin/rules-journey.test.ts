import { describe, expect, it } from 'vitest';
import { RULE_FORM as FORM } from '../../src/messages/action-ids.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SALES, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

const LEADS = 'S0LEADS0001';
const { sandbox, logLines } = checkedSandbox();

/** As Ada says in the Home tab. */
async function say(what: RegExp, changes: Parameters<ReturnType<typeof atHome>['save']>[1]) {
  const ada = atHome(sandbox(), ADA);
  await ada.open();
  const form = await ada.pressFor(what, /Who can/);
  const home = await ada.saved(form, changes);
  expect(ada.views()).toEqual([]);
  return readable(home);
}

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

describe('who may do what, as an admin says it in the Home tab', () => {
  it('counts at once: members see who is online, with words in the place of Watch', async () => {
    const saved = await say(/^Change: Who can watch/, {
      [FORM.whoBlock]: FORM.admins,
      [FORM.usersBlock]: [SAM],
    });
    expect(saved).toContain(`Who can watch: admins, <@${SAM}>`);
    const kim = personIn(sandbox(), KIM);
    for (const text of ['find jane@acme.com', 'visitor jane4821', 'watch jane4821']) {
      const { blocks, text: spoken } = await kim.type(`/cobrowse ${text}`);
      expect(spoken).toContain('You don’t have permission to watch');
      expect(spoken).toContain('Jane Cooper');
      expect(labels(blocks)).not.toContain('Watch');
    }
    expect((await kim.type('/cobrowse proxy https://shop.acme.example')).text).toContain(
      'You don’t have permission',
    );
    const home = await atHome(sandbox(), KIM).open();
    expect(readable(home)).toContain('You don’t have permission to watch');
    expect(labels(home)).not.toContain('Watch');
    const offer = await personIn(sandbox(), SAM).type('/cobrowse watch jane4821');
    expect(labels(offer.blocks)).toContain('Watch');
  });

  it('may be chosen by groups and channels, too', async () => {
    const saved = await say(/^Change: Who can see usage/, {
      [FORM.whoBlock]: FORM.admins,
      [FORM.groupsBlock]: [{ value: LEADS }],
      [FORM.channelsBlock]: [SALES],
    });
    expect(saved).toContain('Who can see usage: admins, ');
    const line = logLines.find((one) => one.includes('"setting":"may-usage"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      audit: { detail: { to: `{"members":false,"ids":["${LEADS}","${SALES}"]}` } },
    });
  });

  it('is written down with who said it, from what, and to what', () => {
    const line = logLines.find((one) => one.includes('"setting":"may-watch"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      audit: {
        action: 'setting',
        userId: ADA,
        detail: { from: '{"members":true,"ids":[]}', to: `{"members":false,"ids":["${SAM}"]}` },
      },
    });
  });

  it('is not changed where the form is not right, and the field says why', async () => {
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    sandbox().slack.fail('usergroups.list', 'internal_error', 5);
    const form = await ada.pressFor(/^Change: Who can stop/, /Who can/);
    sandbox().slack.fail('usergroups.list', 'internal_error', 0);
    expect(form.title).toBe('Who can stop sessions');
    await sandbox().slack.submit({
      as: ADA,
      view_id: form.id,
      state: { [FORM.groupsBlock]: { [FORM.input]: { type: 'plain_text_input', value: 'leads' } } },
    });
    const shown = await sandbox().slack.until(ADA, ({ views }) =>
      views.find(({ errors }) => Object.keys(errors).length > 0),
    );
    expect(shown.errors).toEqual({
      [FORM.groupsBlock]: '“LEADS” isn’t a user group ID: those look like S0123ABCD.',
    });
    await sandbox().slack.closeView({ as: ADA, view_id: form.id });
  });
});
