import { afterEach, describe, expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { KIM, SALES, personIn, readable } from '../support/person.ts';
import { auditedSandbox } from './audit-stage.ts';

const GIL = 'U0GUEST0004';
const { sandbox, records, letAnswersAge } = auditedSandbox();

/** What is written down while something is done, oldest first. */
async function writtenBy(action: () => Promise<unknown>) {
  const { length: before } = await records();
  await action();
  const all = await records();
  return all.slice(0, all.length - before).toReversed();
}

describe('the audit of the Home tab', () => {
  afterEach(() => sandbox().slack.fail('users.info', 'internal_error', 0));

  it('has who was shown usage and the customers online, once for what is shown again, as if they had typed it', async () => {
    const kim = atHome(sandbox(), KIM);
    const home: string[] = [];
    const shown = await writtenBy(async () => {
      home.push(readable(await kim.open()), readable(await kim.refresh()));
    });
    for (const text of home) expect(text).toContain('Jane Cooper');
    const count = expect.any(Number);
    expect(shown.toSorted((a, b) => a.action.localeCompare(b.action))).toMatchObject([
      { userId: KIM, action: 'search', outcome: 'done', detail: { found: count } },
      { userId: KIM, action: 'usage', outcome: 'done' },
    ]);
    const [typed] = await writtenBy(() => personIn(sandbox(), KIM, SALES).type('/cobrowse find online'));
    const search = shown.find(({ action }) => action === 'search');
    expect(search?.detail?.['query']).toBe(typed?.detail?.['query']);
  });

  it('has who was refused', async () => {
    const written = await writtenBy(() => atHome(sandbox(), GIL).open());
    expect(written).toMatchObject([
      { userId: GIL, action: 'refusal', outcome: 'guest', detail: { act: 'watch' } },
    ]);
  });

  it('has who wanted the settings while Slack could not be asked who is an admin', async () => {
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    const written = await writtenBy(async () => {
      letAnswersAge();
      sandbox().slack.fail('users.info', 'internal_error', 5);
      await ada.pressFor(/^Settings/, /couldn’t check your permission/);
    });
    expect(written).toMatchObject([
      { userId: ADA, action: 'refusal', outcome: 'unchecked', detail: { act: 'settings' } },
    ]);
  });
});
