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

/** For a summary in #random. */
const startForRandom = () => startAs(sandbox(), SAM, { visitor: 'jane4821', channel: RANDOM });

describe('the shortcut Start co-browsing', () => {
  it.each([
    ['a guest', GIL, 0, 'You’re a guest'],
    ['somebody of whom Slack cannot be asked', SAM, 1, 'couldn’t check your permission'],
  ])('shows %s words in place of the form, and no customer', async (_who, as, failures, words) => {
    sandbox().slack.fail('users.info', 'internal_error', failures, as);
    await sandbox().slack.globalShortcut({ as, callback_id: 'start_cobrowsing' });
    const modal = await personIn(sandbox(), as).modal(({ blocks }) => readable(blocks).includes(words));
    expect(modal.submit).toBeUndefined();
    expect(ofCustomers()).toEqual([]);
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
