import { describe, expect, it } from 'vitest';
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
    // The form opens though Slack doesn't list the groups.
    sandbox().slack.fail('usergroups.list', 'internal_error', Infinity);
    const saved = await say(/^Change: Who can watch/, {
      who: 'admins',
      users: [SAM],
    });
    sandbox().slack.fail('usergroups.list', 'internal_error', 0);
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

  it('may be chosen by groups and channels, too, and is written down with who said it, from what, and to what', async () => {
    const saved = await say(/^Change: Who can see usage/, {
      who: 'admins',
      groups: [{ value: LEADS }],
      channels: [SALES],
    });
    expect(saved).toContain('Who can see usage: admins, ');
    const changed = logLines
      .map((line) => JSON.parse(line).audit)
      .filter((audit) => audit?.action === 'setting');
    const from = '{"members":true,"ids":[]}';
    expect(changed).toMatchObject([
      { userId: ADA, detail: { setting: 'may-watch', from, to: `{"members":false,"ids":["${SAM}"]}` } },
      {
        userId: ADA,
        detail: { setting: 'may-usage', to: `{"members":false,"ids":["${LEADS}","${SALES}"]}` },
      },
    ]);
  });
});
