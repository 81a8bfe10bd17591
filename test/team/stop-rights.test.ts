import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buttonsIn, personIn, readable } from '../support/person.ts';
import { writeSettings } from '../support/settings-values.ts';
import { auditedSandbox } from '../admin/audit-stage.ts';

const GIL = 'U0GUEST0004';
const LEADS = 'S0LEADS0001';

const { sandbox, records } = auditedSandbox();
const gil = () => personIn(sandbox(), GIL);

let asked = 0;
beforeEach(() => {
  asked = sandbox().service.requests.length;
});
const searches = () =>
  sandbox()
    .service.requests.slice(asked)
    .filter(({ path }) => path.includes('/list'));

/** A link to Jane's screen is given and opened, and the channel told. */
async function card() {
  const alex = personIn(sandbox());
  const link = await alex.watch(await alex.type('/cobrowse watch jane4821'));
  await sandbox().service.openWatchLink(link.headers.get('location') ?? '');
  return gil().message(({ text }) => text.includes('’s screen · '));
}

/** A person as the service knows them, by anything but the id. */
const JANE = /Jane|Cooper|acme/;

describe('a guest who is named for Stop alone', () => {
  beforeAll(() => writeSettings(sandbox(), { rules: { stop: { members: true, ids: [GIL] } } }));

  it.each(['jane', 'jane@acme.com', 'online'])(
    'finds no customer by /cobrowse stop %s: nothing is searched',
    async (text) => {
      const answer = await gil().type(`/cobrowse stop ${text}`);
      expect(answer.text).toContain(`No visitor has the ID ${text}.`);
      expect(answer.text).not.toContain('find');
      expect(buttonsIn(answer.blocks)).toEqual([]);
      expect(searches()).toEqual([]);
      expect((await records())[0]).toMatchObject({ userId: GIL, action: 'search', detail: { found: 0 } });
    },
  );

  it('is asked whether to stop by the visitor’s id, and reads no more than it', async () => {
    const idle = await gil().type('/cobrowse stop jane4821');
    expect(idle.text).toBe('Visitor jane4821 isn’t in a session right now.');
    expect(buttonsIn(idle.blocks)).toEqual([]);
    await card();
    const question = await gil().type('/cobrowse stop jane4821');
    expect(question.text).toBe('Visitor jane4821 · In session');
    expect(JSON.stringify(question.blocks)).not.toMatch(JANE);
    expect((await records())[0]).toMatchObject({ userId: GIL, action: 'search', visitorId: 'jane4821' });
    const stopped = await gil().stop(() => gil().press(question, /^Stop/));
    expect(readable(stopped.blocks)).toBe(`The session with Visitor jane4821 was stopped by <@${GIL}>.`);
  });

  it('stops by the card, and the form before it says no more either', async () => {
    const told = await card();
    await gil().press(told, /^Stop/);
    const form = await gil().modal(({ submit }) => submit === 'Stop session');
    expect(readable(form.blocks)).toContain('any co-browsing session with Visitor jane4821 for everyone');
    expect(JSON.stringify(form.blocks)).not.toMatch(JANE);
    await sandbox().slack.submit({ as: GIL, view_id: form.id, state: {} });
    await gil().modal(({ blocks }) => readable(blocks).includes('Visitor jane4821 was stopped'));
  });
});

it('who can stop still does while Slack cannot be asked whether they may see customers, and sees none', async () => {
  const rules = { stop: { members: true, ids: [GIL] }, watch: { members: true, ids: [LEADS] } };
  await writeSettings(sandbox(), { rules });
  const told = await card();
  sandbox().slack.fail('usergroups.users.list', 'internal_error', 20);
  const stopped = await gil().stop(() => gil().press(told, /^Stop/));
  const answer = await gil().type('/cobrowse stop jane4821');
  sandbox().slack.fail('usergroups.users.list', 'internal_error', 0);
  expect(readable(stopped.blocks)).toBe(`The session with Visitor jane4821 was stopped by <@${GIL}>.`);
  expect(answer.text).toContain('The app couldn’t check your permission with Slack');
  expect((await records())[0]).toMatchObject({
    userId: GIL,
    outcome: 'unchecked',
    detail: { act: 'stop' },
  });
});
