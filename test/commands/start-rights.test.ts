import { beforeEach, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SAM, askedSince, buttonsIn, personIn, readable } from '../support/person.ts';
import { startAs } from '../watch/opening.ts';

const GIL = 'U0GUEST0004';
const RANDOM = 'C0RANDOM003';

const { sandbox } = checkedSandbox();
let asked = 0;
beforeEach(() => {
  asked = sandbox().service.requests.length;
});
const ofCustomers = () => askedSince(sandbox(), asked);

const open = (as: string) => sandbox().slack.globalShortcut({ as, callback_id: 'start_cobrowsing' });

/** For a summary in #random. */
const startForRandom = () => startAs(sandbox(), SAM, { visitor: 'jane4821', channel: RANDOM });

describe('the shortcut Start co-browsing', () => {
  it('shows a guest words in place of the form, and no suggestions', async () => {
    const gil = personIn(sandbox(), GIL);
    await open(GIL);
    const modal = await gil.modal(({ blocks }) => readable(blocks).includes('You’re a guest'));
    expect(modal.submit).toBeUndefined();
    expect(ofCustomers()).toEqual([]);
  });

  it('says so where Slack cannot be asked', async () => {
    sandbox().slack.fail('users.info', 'internal_error', 1, SAM);
    await open(SAM);
    const sam = personIn(sandbox(), SAM);
    const modal = await sam.modal(({ blocks }) =>
      readable(blocks).includes('couldn’t check your permission'),
    );
    expect(modal.submit).toBeUndefined();
  });

  it('gives no Watch button for a channel that the person is not in', async () => {
    sandbox().slack.leave({ channel: RANDOM, user: SAM });
    const refused = await startForRandom();
    sandbox().slack.join({ channel: RANDOM, user: SAM });
    expect(readable(refused.blocks)).toContain('You aren’t in the channel');
    expect(buttonsIn(refused.blocks)).toEqual([]);
  });

  it('gives no link once the person has left that channel', async () => {
    const offer = await startForRandom();
    sandbox().slack.leave({ channel: RANDOM, user: SAM });
    asked = sandbox().service.requests.length;
    const page = await personIn(sandbox(), SAM).watch(offer);
    sandbox().slack.join({ channel: RANDOM, user: SAM });
    expect(await page.text()).toContain('You aren’t in the channel');
    expect(ofCustomers()).toEqual([]);
  });
});
