import { describe, expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

const { sandbox } = checkedSandbox();

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

describe('who may do what, as an admin says it in the Home tab', () => {
  it('counts at once: members see who is online, with words in the place of Watch', async () => {
    // The form opens though Slack doesn't list the groups.
    sandbox().slack.fail('usergroups.list', 'internal_error', Infinity);
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    const form = await ada.pressFor(/^Change: Who can watch/, /Who can/);
    const saved = readable(await ada.saved(form, { who: 'admins', users: [SAM] }));
    expect(ada.views()).toEqual([]);
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
});
