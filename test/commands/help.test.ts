import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ADA } from '../home/at-home.ts';
import { askedSince, personIn, readable } from '../support/person.ts';

/** The commands that a message lists. */
const namesIn = (text: string) => Array.from(text.matchAll(/^- \/cobrowse (\w+)/gm), ([, name = '']) => name);

const { sandbox } = checkedSandbox();
const ask = (text: string) => personIn(sandbox()).type(`/cobrowse ${text}`);
const all = async (userId?: string) => {
  const person = personIn(sandbox(), userId);
  const { text } = await person.pressToReplace(await person.type('/cobrowse help'), /^All commands/);
  return text;
};

describe('/cobrowse help', () => {
  it('leaves out what is for admins, and shows the rest, where Slack can’t say who is one', async () => {
    // First of all: what Slack says of Ada is good for seconds.
    sandbox().slack.fail('users.info', 'internal_error', Infinity);
    const words = await all(ADA);
    sandbox().slack.fail('users.info', 'internal_error', 0);
    expect(words).not.toContain('For admins');
    expect(words).toContain('/cobrowse subscribe');
  });

  it.each(['help', 'HELP', '', '   ', 'help me'])(
    'shows the five things an agent does, how to find a customer, and the message shortcuts, to %j',
    async (text) => {
      const answer = await ask(text);
      for (const name of ['Find visitor', 'Look up agent', 'Stop session'])
        expect(readable(answer.blocks)).toContain(name);
      expect(namesIn(answer.text)).toEqual(['find', 'watch', 'visitor', 'agent', 'stop']);
      expect(answer.text).toContain('/cobrowse jane');
      expect(answer.text).toContain('/cobrowse 4821');
    },
  );

  it('shows the rest behind a button, with the search syntax, and what is for admins to admins alone', async () => {
    const names = sandbox().app.catalog.commands.map(({ name }) => name);
    const forAdmins = new Set(['delete', 'audit', 'doctor']);
    const words = await all();
    expect(namesIn(words)).toEqual(names.filter((name) => !forAdmins.has(name)));
    const adas = await all(ADA);
    expect(new Set(namesIn(adas))).toEqual(new Set(names));
    expect(adas).toContain('For admins');
    const forms = 'online -online 1234 #vip tag:vip ip:1.1.1.1 id:42 integration_id:zendesk:42';
    for (const form of forms.split(' ')) expect(words).toContain(form);
  });
});

describe('help for one command', () => {
  // Phones turn two hyphens into a dash.
  it.each(['HELP  Find', 'help /cobrowse find', 'find --help', 'find —help', 'find –help', 'Find --HELP'])(
    'explains it, and runs nothing: %s',
    async (typed) => {
      const before = sandbox().service.requests.length;
      const { text } = await ask(typed);
      expect(text).toContain('/cobrowse find [name, email or search]');
      expect(text).toContain('the four-digit lookup code');
      expect(text).not.toContain('/cobrowse watch');
      expect(askedSince(sandbox(), before)).toEqual([]);
    },
  );

  it('says that it knows no such command, and what was perhaps meant, above the commands there are', async () => {
    for (const [typed, guess] of [
      ['fnid', ' Did you mean /cobrowse find'],
      ['jane cooper', '\n'],
    ]) {
      const { text } = await ask(`help ${typed}`);
      expect(text).toContain(`I don’t know that command.${guess}`);
      expect(text).toContain('- /cobrowse find');
    }
  });
});

describe('a word that is no subcommand', () => {
  it.each([
    ['fnid nobody', 'find'],
    ['visitors jane4821', 'visitor'],
    ['agnet zoe@example.test', 'agent'],
    ['follow ups', 'followups'],
  ])(
    'is searched for, and where that finds nobody answered with what was perhaps meant: %s',
    async (typed, meant) => {
      const { text } = await ask(typed);
      expect(text).toMatch(/^No customer matches /);
      expect(text).toContain(`\nDid you mean /cobrowse ${meant}?\n`);
    },
  );

  it.each(['stopp jane4821', 'dleete jane4821'])('is only searched for, and never run: %s', async (typed) => {
    const before = sandbox().service.requests.length;
    await ask(typed);
    expect(askedSince(sandbox(), before)).toEqual([expect.stringMatching(/^GET \/v1\.3\/list\b/)]);
  });

  it('suggests nothing where somebody is found, or nothing is like it', async () => {
    sandbox().service.addVisitor({ short_id: 'st', identities: ['Agent Smith', 'Stopp'] });
    expect((await ask('stopp')).text).toContain('Agent Smith');
    for (const typed of ['stopp', 'xylophone']) expect((await ask(typed)).text).not.toContain('Did you mean');
  });
});

describe('a command with more than it takes', () => {
  it.each([
    ['usage', 'last week'],
    ['usage', '@sam'],
    ['doctor', 'quick'],
    ['subscriptions', 'here'],
    ['audit', 'qwertz'],
    ['sessions', 'since yesteryear'],
    ['sessions', 'csv yesteryear'],
    ['digest', 'off tomorrow'],
    ['followups', 'today'],
  ])('says so instead of ignoring it: /cobrowse %s %s', async (name, more) => {
    const { text } = await personIn(sandbox(), ADA).type(`/cobrowse ${name} ${more}`);
    expect(text).toMatch(/didn’t understand “|^Type daily|^Name a person/);
  });
});
