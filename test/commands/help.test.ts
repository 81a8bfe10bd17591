import { describe, expect, it } from 'vitest';
import { helpEntries } from '../../src/commands/run-text.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn, readable } from '../support/person.ts';

describe('/cobrowse help', () => {
  const { sandbox } = checkedSandbox();
  const ask = (text: string) => personIn(sandbox()).type(`/cobrowse ${text}`);

  it.each(['help', 'HELP', '', '   ', 'help me'])(
    'lists everything that can be asked for to %j',
    async (text) => {
      const words = readable((await ask(text)).blocks);
      for (const { usage, summary } of helpEntries) {
        expect(words).toContain(`/cobrowse ${usage}`);
        expect(words).toContain(summary);
      }
    },
  );

  it('explains the search syntax of the service', async () => {
    const words = readable((await ask('help')).blocks);
    for (const form of [
      'online',
      '-online',
      '1234',
      '#vip',
      'ip:1.1.1.1',
      'id:42',
      'integration_id:zendesk:42',
    ]) {
      expect(words).toContain(form);
    }
  });

  it('names the message shortcuts', async () => {
    const words = readable((await ask('help')).blocks);
    for (const name of ['Find visitor', 'Look up agent', 'Stop session']) expect(words).toContain(name);
  });
});

describe('help for one command', () => {
  const { sandbox } = checkedSandbox();
  const ask = (text: string) => personIn(sandbox()).type(`/cobrowse ${text}`);

  // Phones turn two hyphens into a dash.
  it.each([
    'help find',
    'HELP  Find',
    'help /cobrowse find',
    'find --help',
    'find —help',
    'find –help',
    'Find --HELP',
  ])('explains it, and runs nothing: %s', async (typed) => {
    const before = sandbox().service.requests.length;
    const { text } = await ask(typed);
    expect(text).toContain('/cobrowse find [name, email or search]');
    expect(text).toContain('the four-digit lookup code');
    expect(text).not.toContain('/cobrowse watch');
    const asked = sandbox().service.requests.slice(before);
    expect(asked.filter(({ path }) => path.includes('/list'))).toEqual([]);
  });

  it('shows its examples', async () => {
    expect((await ask('subscribe --help')).text).toContain('/cobrowse subscribe #support tag:vip min 5m');
    expect((await ask('help digest')).text).toContain('/cobrowse digest off');
    expect((await ask('help help')).text).toContain('/cobrowse help');
    expect((await ask('--help')).text).toContain('/cobrowse watch');
  });

  it('says what was perhaps meant by another word', async () => {
    expect((await ask('help fnid')).text).toContain('Did you mean /cobrowse find');
  });

  it('leaves a search alone that only holds the word', async () => {
    expect((await ask('find --help me')).text).toContain('No visitor matches --help me');
  });
});

describe('a word that is no subcommand', () => {
  const { sandbox } = checkedSandbox();
  const ask = (text: string) => personIn(sandbox()).type(`/cobrowse ${text}`);

  it.each([
    ['fnid jane', 'find [name, email or search]'],
    ['wacth jane4821', 'watch &lt;visitor id&gt;'],
    ['visitors jane4821', 'visitor &lt;visitor id&gt;'],
    ['agnet @sam', 'agent [email, @person or external:&lt;id&gt;]'],
    ['usgae', 'usage'],
    ['hlep', 'help [command]'],
    ['stp jane4821', 'stop &lt;visitor id&gt;'],
  ])('is answered with what was perhaps meant: %s', async (typed, usage) => {
    const { text } = await ask(typed);
    expect(text).toContain(`There is no ${typed.split(' ')[0]}. Did you mean /cobrowse ${usage}?`);
  });

  it.each(['stp jane4821', 'stopp jane4821', 'wacth jane4821', 'fnid jane'])(
    'is never run: %s',
    async (typed) => {
      const before = sandbox().service.requests.length;
      await ask(typed);
      const asked = sandbox()
        .service.requests.slice(before)
        .map(({ path }) => path);
      // Who types is looked up ahead of a press; nothing else is asked of the service.
      expect(asked.filter((path) => !path.includes('/agents/lookup'))).toEqual([]);
    },
  );

  it('is shown as it was typed, not as the link Slack makes of it', async () => {
    const { text } = await ask('jane@acme.com');
    expect(text).toContain('There is no jane@acme.com. You can ask:');
  });

  it('is answered with all that can be asked for where nothing is like it', async () => {
    const { text } = await ask('xylophone');
    expect(text).toContain('There is no xylophone. You can ask:');
    for (const { usage } of helpEntries) {
      expect(text).toContain(`/cobrowse ${usage.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`);
    }
  });

  it.each(['<!channel>', '*bold*', '&amp;', 'z'.repeat(10_000), '\u202E', '\u200B', '/cobrowse find'])(
    'is harmless whatever it is',
    async (typed) => {
      const { text } = await ask(typed);
      expect(text).toMatch(/There is no |Commands/);
    },
  );
});
