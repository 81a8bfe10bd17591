import { describe, expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SALES, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

const { sandbox, logLines } = checkedSandbox();

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

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
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    const form = await ada.pressFor(/^Change: Access/, /Channel override/);
    expect(form.title).toBe('Access');
    const home = await ada.saved(form, {
      most_power: 'point',
      usual_power: 'view',
      channel: SALES,
      channel_power: 'point',
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

  it('say who may do what, which counts at once: members see who is online, with words in the place of Watch', async () => {
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
