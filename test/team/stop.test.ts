import { afterEach, describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { stopped } from '../../src/team/stop.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';

describe('/cobrowse stop', () => {
  const { sandbox } = checkedSandbox({ service: { sessionLimit: 10 } });
  const ask = (argument: string) => personIn(sandbox()).type(`/cobrowse stop ${argument}`);
  const running = () =>
    sandbox()
      .service.sessions()
      .filter((session) => session.ended_at === null);

  async function startSessionWith(visitorId: string): Promise<void> {
    const alex = personIn(sandbox());
    const offer = await alex.type(`/cobrowse watch ${visitorId}`);
    const redirect = await alex.watch(offer);
    await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
  }

  /** A question whose session has ended since, and is told in the channel. */
  async function askedTooLate(visitorId: string) {
    await startSessionWith(visitorId);
    const question = await ask(visitorId);
    const alex = personIn(sandbox());
    const told = () => alex.messages().filter(({ text }) => /session ended|accept/.test(text)).length;
    const before = told();
    await Promise.all(running().map(({ id }) => sandbox().service.endSession(id)));
    await alex.message(() => told() > before);
    return question;
  }

  afterEach(async () => {
    await Promise.all(running().map(({ id }) => sandbox().service.endSession(id)));
  });

  it('asks first, in a form that names the visitor and whose session it is', async () => {
    await startSessionWith('jane4821');
    const question = await ask('jane4821');
    expect(question.text).toContain('Jane Cooper · jane@acme.com · In session');
    const [stop] = buttonsIn(question.blocks);
    expect(stop).toMatchObject({ style: 'danger', accessibility_label: 'Stop session with Jane Cooper' });
    const sam = personIn(sandbox(), SAM);
    await sam.press(await sam.type('/cobrowse stop jane4821'), /^Stop/);
    const form = await sam.modal(({ submit }) => submit !== undefined);
    expect(form.title).toBe('Stop session');
    const words = readable(form.blocks);
    expect(words).toContain('This ends any co-browsing session with Jane Cooper for everyone in it');
    expect(words).toContain(`<@${ALEX}> asked to see this screen: `);
    expect(running()).toHaveLength(1);
    await sandbox().slack.closeView({ as: SAM, view_id: form.id });
  });

  it('stops at the press and says who did, in the answer and in the summary', async () => {
    await startSessionWith('Xq9Z');
    const sam = personIn(sandbox(), SAM);
    const question = await sam.type('/cobrowse stop Xq9Z');
    const answer = await sam.stop(() => sam.press(question, /^Stop/), ' <!channel> She *asked* for it ');
    expect(readable(answer.blocks)).toBe(`The session with Sofía Martínez was stopped by <@${SAM}>.`);
    expect(running()).toEqual([]);
    const summary = await sam.message(({ text }) => text.startsWith('Sofía Martínez with '));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(summary.text).toContain('Alex Rivera');
    const detail = await sam.message(({ text }) => text.includes('Stopped by'));
    expect(detail.text).toContain(`Stopped by: <@${SAM}>\nReason: &lt;!channel&gt; She *asked* for it`);
  });

  it('says that it stopped a session that it knows by the agent alone, since the visitor’s look-up takes too long', async () => {
    await startSessionWith('lm3');
    const { service, slack } = sandbox();
    const sam = personIn(sandbox(), SAM);
    await sam.press(await sam.type('/cobrowse stop lm3'), /^Stop/);
    const form = await sam.modal(({ submit }) => submit !== undefined);
    const looks = () => service.requests.filter(({ path }) => path === '/v1.3/visitors/lm3').length;
    const before = looks();
    service.misbehave({ latencyMs: 3_000 });
    await slack.submit({ as: SAM, view_id: form.id, state: {} });
    await expect.poll(looks).toBe(before + 1);
    service.misbehave({});
    const answer = await sam.modal(({ id, submit, blocks }) => {
      const isAnswer = submit === undefined && readable(blocks).includes('lm3');
      return id === form.id && isAnswer;
    });
    expect(readable(answer.blocks)).toBe(`The session with Visitor lm3 was stopped by <@${SAM}>.`);
    expect(running()).toEqual([]);
  });

  it('doesn’t say that there was no session where nobody says whether there was', () => {
    const unknown = stopped(VisitorSchema.parse({ short_id: 'lm3' }), SAM, false);
    expect(unknown.text).toBe(
      'I asked the service to stop any session with Visitor lm3. It doesn’t say whether one was running.',
    );
  });

  it('says so where the session has ended by the press, stops all the same, and posts the reason nowhere', async () => {
    const alex = personIn(sandbox());
    await alex.press(await askedTooLate('noah'), /^Stop/);
    const form = await alex.modal(({ submit }) => submit !== undefined);
    const reason = { value: { type: 'plain_text_input', value: 'No time' } };
    await sandbox().slack.submit({
      as: ALEX,
      view_id: form.id,
      state: { reason: reason },
    });
    const answer = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('I saw no session'),
    );
    expect(readable(answer.blocks)).toBe(
      'I saw no session with Noah Schmidt, and asked the service to stop any.\nYour reason wasn’t posted: I couldn’t see which session this ended.',
    );
    // One may have begun after the look.
    const request = sandbox().service.requests.findLast(({ method }) => method === 'DELETE');
    expect(request?.path).toBe('/v1.3/visitors/noah/session');
  });

  it('offers only those in a session where a name fits several', async () => {
    const nobody = await ask('jane');
    expect(nobody.text).toBe('Nobody matching jane is in a session right now.');
    expect(buttonsIn(nobody.blocks)).toEqual([]);
    const one = await ask('jane4821');
    expect(one.text).toBe('Jane Cooper · jane@acme.com isn’t in a session right now.');
    await startSessionWith('jane4821');
    const { text, blocks } = await ask('jane');
    expect(text).toContain('Jane Cooper');
    expect(text).not.toContain('Jane Park');
    expect(buttonsIn(blocks)).toHaveLength(1);
  });

  it('says so where the visitor is gone by the time of the press', async () => {
    sandbox().service.addVisitor({ short_id: 'gone1', identities: ['Gone Girl'] });
    const question = await askedTooLate('gone1');
    const { url, apiKey } = sandbox().service;
    await fetch(`${url}/v1.3/visitors/gone1`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    const alex = personIn(sandbox());
    const answer = await alex.stop(() => alex.press(question, /^Stop/));
    expect(readable(answer.blocks)).toContain('No visitor has the ID gone1.');
  });
});
