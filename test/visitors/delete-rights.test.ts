import { beforeEach, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SAM, buttonsIn, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';

const LEADS = 'S0LEADS0001';
const ADA = 'U0ADA000005';
const GIL = 'U0GUEST0004';
const mayDelete = (ids: string[]) => ({ rules: { delete: { members: false, ids } } });

describe('the right to delete visitors', () => {
  const storeUrl = storeInFile();
  const { sandbox } = checkedSandbox({ storeUrl });
  const ask = (userId: string, argument = 'janepark') =>
    personIn(sandbox(), userId).type(`/cobrowse delete ${argument}`);
  const deletions = () => sandbox().service.requests.filter(({ method }) => method === 'DELETE');
  const refusal = 'You don’t have permission';

  beforeEach(() => writeSettings(sandbox(), {}));

  it('belongs to the members of a user group that was named, and to nobody else', async () => {
    expect((await ask(SAM)).text).toContain(refusal);
    await writeSettings(sandbox(), mayDelete([LEADS]));
    expect((await ask(SAM)).text).toContain('permanently deletes');
    expect((await ask(KIM)).text).toContain(refusal);
  });

  it('shows a guest who was named no more of a visitor than the id, and finds nobody by name', async () => {
    await writeSettings(sandbox(), mayDelete([GIL]));
    const question = await ask(GIL);
    expect(question.text).toContain('Visitor janepark · Offline');
    expect(JSON.stringify(question.blocks)).not.toMatch(/Jane|Park/);
    expect((await ask(GIL, 'jane')).text).toContain('No visitor has the ID jane.');
  });

  it('counts at the press: lost since the button was drawn, nothing is deleted', async () => {
    await writeSettings(sandbox(), mayDelete([LEADS]));
    const question = await ask(SAM);
    await writeSettings(sandbox(), {});
    const answer = await personIn(sandbox(), SAM).pressToReplace(question, /^Delete/);
    expect(answer.text).toContain(refusal);
    expect(deletions()).toEqual([]);
  });
});

describe.each(['on-premise', 'on-premise-connected'] as const)('deleting %s', (deployment) => {
  const { sandbox } = checkedSandbox({ deployment });

  it('is said not to be had, and draws no button', async () => {
    for (const argument of ['janepark', '--offline']) {
      const { text, blocks } = await personIn(sandbox(), ADA).type(`/cobrowse delete ${argument}`);
      expect(text).toContain('doesn’t offer this');
      expect(buttonsIn(blocks)).toEqual([]);
    }
  });
});
