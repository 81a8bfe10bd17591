import { describe, expect, it } from 'vitest';
import { PLANTS } from '../../chaos/plants.ts';
import { runChaos } from '../../chaos/run.ts';

/** Nothing goes wrong but that the app is killed after its acknowledgements, and what is planted. */
const calm = { seed: 5, sessions: 3, isCalm: true, killShare: 1 };

describe('the verdict', () => {
  it.each([
    [
      'a place, a webhook and a link',
      {
        'wrong-channel':
          /^place: the summary of session \d+ .* stands in C0CHAOSBAD1, where it does not belong$/u,
        'webhook-dropped': /^webhooks: the end of session \d+ .* didn't arrive$/u,
        'link-left-open': /^links: the link of session [\w-]+ is open, and the session ended$/u,
      },
    ],
    [
      'a card, a pause and an event',
      {
        'card-left': /^cards: a card in C0CHAOS\d+ still promises the summary of session \d+ /u,
        'paused-gets-posts': /^changing: session \d+ .* went to a subscription that was paused$/u,
        'webhook-id-changes': /^webhooks: the event .* has 2 ids: msg_\w+, msg_\w+_again$/u,
      },
    ],
    [
      'an acknowledgement',
      { 'early-acknowledgement': /^durability: session \d+ .* was acknowledged with 200, and is not in /u },
    ],
  ])('names each fault that is planted, in %s', async (_where, planted) => {
    const plants = PLANTS.filter((plant) => plant in planted);
    expect(plants).toHaveLength(Object.keys(planted).length);
    const { broken } = await runChaos({ ...calm, plants });
    for (const words of Object.values(planted)) expect(broken).toContainEqual(expect.stringMatching(words));
  });
});
