import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn, readable } from '../support/person.ts';

const ADA = 'U0ADA000005';
const { sandbox, logLines } = checkedSandbox();

const deletions = () =>
  sandbox()
    .service.requests.filter(({ method }) => method === 'DELETE')
    .map(({ path }) => path);

/** What the log has of Ada's deletions. */
const written = () => logLines.filter((line) => line.includes('"action":"delete"') && line.includes(ADA));
const outcomes = () => written().map((line) => /"outcome":"([\w-]+)"/.exec(line)?.[1]);

const warningOf = (email: string) => `Ann Twin (${email}) and their history will be permanently deleted.`;

describe('/cobrowse delete', () => {
  it('asks an admin first, then deletes, and writes down who did', async () => {
    const ada = personIn(sandbox(), ADA);
    const question = await ada.type('/cobrowse delete janepark');
    expect(ada.button(question, /^Delete/).confirm?.text.text).toContain('permanently deleted');
    expect(deletions()).toEqual([]);
    const done = await ada.pressToReplace(question, /^Delete/);
    expect(done.text).toBe(`<@${ADA}> deleted visitor janepark.`);
    expect(deletions()).toEqual(['/v1.3/visitors/janepark']);
    expect(outcomes()).toEqual(['asked', 'done']);
  });

  it('explains that an online visitor cannot be deleted', async () => {
    const ada = personIn(sandbox(), ADA);
    const answer = await ada.type('/cobrowse delete jane4821');
    expect(answer.text).toContain(
      'Everyone matching jane4821 is online. Only offline customers can be deleted',
    );
    expect(buttonsIn(answer.blocks)).toEqual([]);
  });

  it('takes a name or an email, asks which where several fit, and names who it is', async () => {
    const common = { identities: ['Ann Twin'], is_online: false };
    sandbox().service.addVisitor({ ...common, short_id: 'twin1', email: 'ann.a@twin.example' });
    sandbox().service.addVisitor({ ...common, short_id: 'twin2', email: 'ann.b@twin.example' });
    sandbox().service.addVisitor({ ...common, short_id: 'twin3', is_online: true });
    const ada = personIn(sandbox(), ADA);
    const one = await ada.type('/cobrowse delete ann.b@twin.example');
    const several = await ada.type('/cobrowse delete Ann Twin');
    const before = deletions().length;
    const confirmsIn = ({ blocks }: typeof one) => buttonsIn(blocks).map(({ confirm }) => confirm?.text.text);
    expect(confirmsIn(one)).toEqual([warningOf('ann.b@twin.example')]);
    expect(several.text).toContain('3 customers matching Ann Twin. Delete which one?');
    expect(several.text).toContain('1 of them can’t be deleted while online.');
    expect(new Set(confirmsIn(several))).toEqual(
      new Set([warningOf('ann.a@twin.example'), warningOf('ann.b@twin.example')]),
    );
    expect(deletions()).toHaveLength(before);
  });

  it('says so where the only one offline may not be who is meant', async () => {
    const common = { identities: ['Bo Namesake'] };
    sandbox().service.addVisitor({ ...common, short_id: 'bo1', is_online: false });
    sandbox().service.addVisitor({ ...common, short_id: 'bo2', is_online: true });
    const question = await personIn(sandbox(), ADA).type('/cobrowse delete Bo Namesake');
    expect(question.text).toContain('2 customers matching Bo Namesake. Delete which one?');
    expect(question.text).toContain('1 of them can’t be deleted while online.');
    expect(buttonsIn(question.blocks)).toHaveLength(1);
  });

  it('deletes all who are offline only after the word was typed', async () => {
    const ada = personIn(sandbox(), ADA);
    const before = outcomes().length;
    const question = await ada.type('/cobrowse delete --offline');
    expect(question.text).toContain('a few minutes');
    await ada.press(question, /^Delete all/);
    const form = await ada.modal(({ submit }) => submit === 'Delete');
    const submit = (value: string) => {
      const typed = { value: { type: 'plain_text_input', value } };
      return sandbox().slack.submit({ as: ADA, view_id: form.id, state: { typed } });
    };
    await submit('delete');
    const kept = await ada.modal((view) => Object.keys(view.errors).length > 0);
    expect(kept.errors).toEqual({ typed: 'Type DELETE, in capitals, to continue.' });
    expect(deletions()).not.toContain('/v1.3/visitors?all=true');
    await submit('DELETE ');
    const done = await ada.modal((view) => readable(view.blocks).includes('is deleting'));
    expect(readable(done.blocks)).toContain(`<@${ADA}> is deleting`);
    expect(deletions()).toContain('/v1.3/visitors?all=true');
    expect(outcomes().slice(before)).toEqual(['asked', 'done']);
    expect(written()[before]).toMatch(/"what":"all-offline","count":\d+/);
  });
});
