import { describe, expect, it, onTestFinished } from 'vitest';
import { SUGGESTIONS_WITHIN_MS } from '../../src/slack/interactions.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { openStart, suggestIn } from '../slack/forms.ts';
import { ALEX, personIn } from '../support/person.ts';
import { closing } from '../cobrowse/stage.ts';
import { startOddService } from '../commands/odd-service.ts';

// How long Slack waits is looked at in the app's own limit: the rest goes by how busy the machine is.
const { sandbox } = checkedSandbox({ slack: { ackLimitMs: 45_000 } });

/** The form of Start co-browsing, before a service that misbehaves, and what is suggested in it. */
async function openOdd() {
  const odd = closing(await startOddService());
  const app = await appBefore(sandbox(), odd.url);
  onTestFinished(() => app.stop());
  const form = await openStart(sandbox());
  async function suggested(typed?: string) {
    const answer = await suggestIn(sandbox(), form, typed);
    return 'options' in answer ? answer.options : [];
  }
  return { odd, form, suggested };
}

describe('the search field of Start co-browsing', () => {
  it('says in time that the service takes longer, which is nobody to choose', async () => {
    const { odd, form, suggested } = await openOdd();
    odd.holdsBack();
    const [words, ...others] = await suggested();
    expect([words?.text.text, others]).toEqual(['Still searching… Type another letter to ask again.', []]);
    const chosen = { type: 'external_select', selected_option: { value: words?.value ?? '' } };
    await sandbox().slack.submit({
      as: ALEX,
      view_id: form.id,
      state: { visitor: { visitor_search: chosen } },
    });
    const kept = await personIn(sandbox()).modal(({ id, errors }) => id === form.id && 'visitor' in errors);
    expect(kept.errors).toEqual({ visitor: 'Choose a customer from the list.' });
    expect(SUGGESTIONS_WITHIN_MS).toBeLessThan(3_000);
    odd.release({ status: 'ok', visitors: [] });
  });

  it.each([
    [500, /^The co-browsing service/],
    [401, /refused this app’s key/],
    [404, /co-browsing service/],
    [200, /^Unexpected reply from the co-browsing service/],
  ])('says what is wrong at status %i without a list', async (status, words) => {
    const { odd, suggested } = await openOdd();
    odd.answers(status, 'no list');
    expect(await suggested()).toMatchObject([{ text: { text: expect.stringMatching(words) } }]);
  });

  it('sends nothing of a watch link to the service, and says so', async () => {
    const { odd, suggested } = await openOdd();
    const before = odd.requests.length;
    const options = await suggested('https://cobrowse.example/watch/4f9a2c');
    expect(options).toMatchObject([{ text: { text: expect.stringContaining('looks like a watch link') } }]);
    expect(odd.requests.length).toBe(before);
  });

  it('shows hostile names as text that Slack takes, and leaves out ids that no option can hold', async () => {
    const { odd, suggested } = await openOdd();
    odd.answers(200, {
      status: 'ok',
      visitors: [
        { short_id: 'a', identities: ['<!channel> *x*'], email: '<@U1>' },
        { short_id: 'b', identities: ['Bob \u202Egpj.exe'], is_online: false },
        { short_id: 'c', identities: ['y'.repeat(10_000)], email: 'z'.repeat(10_000) },
        { short_id: 'd', identities: [' \u200B '] },
        { short_id: 'e'.repeat(76) },
      ],
    });
    const options = await suggested();
    expect(options.map(({ value }) => value)).toEqual(['c', 'a', 'd', 'b']);
    const texts = options.map(({ text }) => text.text);
    expect(texts.slice(1)).toEqual(['<!channel> *x*, <@U1>', 'Visitor d', 'Bob gpj.exe (offline)']);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(75);
    expect(options.every(({ text }) => text.type === 'plain_text')).toBe(true);
  });
});
