import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, buttonsIn, personIn, readable } from '../support/person.ts';
import { choicesIn, isForm, shows } from './forms.ts';

describe('the shortcut Look up agent', () => {
  const { sandbox } = checkedSandbox();

  it('shows the author immediately if the message has no email', async () => {
    const message = await personIn(sandbox(), ALEX).say('I can take this one.');
    const sam = personIn(sandbox(), SAM);
    const answer = await sam.shortcut(message, 'look_up_agent', shows('Alex Rivera · alex@acme.com'));
    expect(answer.title).toBe('Look up agent');
  });

  it('asks whether the author or the email is meant, and says beside the field what isn’t an email', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await alex.say('ask robin@acme.com'), 'look_up_agent', isForm);
    expect(choicesIn(form)).toEqual([`<@${ALEX}>`, 'robin@acme.com']);
    expect(readable(form.blocks)).toContain('The author of the message');
    await alex.submit(form, 'Robin');
    const kept = await alex.modal(({ errors }) => Object.keys(errors).length > 0);
    expect(kept.errors).toEqual({ text: 'That isn’t an email address, an @mention or external:<id>.' });
    await alex.submit(kept, '', 'robin@acme.com');
    await alex.modal(shows('Robin Marsh'));
  });
});

describe('the shortcut Stop session', () => {
  const { sandbox } = checkedSandbox({ service: { sessionLimit: 10 } });

  async function startSessionWith(visitorId: string): Promise<void> {
    const alex = personIn(sandbox());
    const redirect = await alex.watch(await alex.type(`/cobrowse watch ${visitorId}`));
    await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
  }

  it('asks in the modal immediately if one visitor is named, and stops on the press', async () => {
    const alex = personIn(sandbox());
    await startSessionWith('jane4821');
    const message = await alex.say('please stop with jane@acme.com');
    const asked = await alex.shortcut(message, 'stop_session', ({ blocks }) => buttonsIn(blocks).length > 0);
    expect(readable(asked.blocks)).toContain('Jane Cooper');
    const answer = await alex.stop(() => alex.pressInModal(asked, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Jane Cooper was stopped');
    const stops = sandbox().service.requests.filter(({ method }) => method === 'DELETE');
    expect(stops.map(({ path }) => path)).toEqual(['/v1.3/visitors/jane4821/session']);
  });

  it('stops nobody when its form is sent', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await alex.say('jane@acme.com or code 9034'), 'stop_session', isForm);
    await startSessionWith('Xq9Z');
    const before = sandbox().service.requests.length;
    await alex.submit(form, '', '9034');
    const asked = await alex.modal(shows('Sofía Martínez'));
    expect(buttonsIn(asked.blocks)).toHaveLength(1);
    const methods = sandbox()
      .service.requests.slice(before)
      .map(({ method }) => method);
    expect(methods).not.toContain('DELETE');
  });
});
