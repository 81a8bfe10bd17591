import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { isForm, openStart, suggestIn } from '../slack/forms.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { ALEX, personIn, readable } from '../support/person.ts';

/** What people paste, and what the service is asked, one after the other until it finds somebody. */
const PAIRS: readonly (readonly [pasted: string, ...asked: string[]])[] = [
  ['Siobhán O’Connor', 'Siobhán O’Connor'],
  ["Siobhán O'Connor", "Siobhán O'Connor", 'Siobhán O’Connor'],
  ['Sinead O’Hara', 'Sinead O’Hara', "Sinead O'Hara"],
  ['Zoe\u0308 Müller', 'Zoë Müller'],
  ['４８２１', '4821'],
  ['zoe＠example.test', 'zoe@example.test'],
  ['Zoë Müller <zoe@example.test>', 'zoe@example.test'],
  ['"Müller, Zoë" <zoe@example.test>', 'zoe@example.test'],
  ['zoe@example.test.', 'zoe@example.test'],
  ['(zoe@example.test),', 'zoe@example.test'],
  ['*zoe@example.test*', 'zoe@example.test'],
  ['_zoe@example.test_', 'zoe@example.test'],
  ['‘zoe@example.test’', 'zoe@example.test'],
  ['<mailto:zoe@example.test?subject=Help|zoe@example.test>', 'zoe@example.test'],
  ['<mailto:zoe@example.test?subject=Help|Write to Zoë>', 'zoe@example.test'],
  ['mailto:zoe@example.test?subject=Help', 'zoe@example.test'],
  ["pat.o'brien@example.test", "pat.o'brien@example.test"],
  ['pat.o’brien@example.test', 'pat.o’brien@example.test', "pat.o'brien@example.test"],
  ['#4821', '4821'],
  ['code 4821', '4821'],
  ['Code: 48 21.', '4821'],
  ['48 21', '4821'],
  // What only looks like one of these is asked for as it is.
  ['Studio 2000', 'Studio 2000'],
  ['id:zoe@example.test', 'id:zoe@example.test'],
  ['zoe@example.test or liam.obrien@globex.example', 'zoe@example.test or liam.obrien@globex.example'],
  ['m\uFFFDller@example.test', 'm\uFFFDller@example.test'],
];

const { sandbox } = checkedSandbox();
const alex = () => personIn(sandbox());

/** Ways to ask for a customer: each does it with what was pasted, and waits until it's answered. */
const WAYS: Readonly<Record<string, (pasted: string) => Promise<unknown>>> = {
  '/cobrowse': (pasted) => alex().type(`/cobrowse ${pasted}`),
  '/cobrowse find': (pasted) => alex().type(`/cobrowse find ${pasted}`),
  '/cobrowse watch': (pasted) => alex().type(`/cobrowse watch ${pasted}`),
  '/cobrowse visitor': (pasted) => alex().type(`/cobrowse visitor ${pasted}`),
  '/cobrowse stop': (pasted) => alex().type(`/cobrowse stop ${pasted}`),
  '/cobrowse delete': (pasted) => personIn(sandbox(), ADA).type(`/cobrowse delete ${pasted}`),
  'the search of Home': (pasted) => searchAtHome(pasted),
  'the form of Find visitor': (pasted) => submitted('find_visitor', pasted),
  'the form of Stop session': (pasted) => submitted('stop_session', pasted),
  'the search of Start co-browsing': async (pasted) =>
    suggestIn(sandbox(), await openStart(sandbox()), pasted),
};

let empty: PageMessage | undefined;

/** Types it into the form that a shortcut opens on a message with nothing in it. */
async function submitted(shortcut: string, pasted: string): Promise<void> {
  empty ??= await alex().say('hello');
  const form = await alex().shortcut(empty, shortcut, isForm);
  await alex().submit(form, pasted);
  await alex().modal(
    ({ id, submit, blocks }) => id === form.id && submit === undefined && readable(blocks) !== 'Loading…',
  );
}

/** Types it into the field of the Home tab. */
async function searchAtHome(pasted: string): Promise<void> {
  const { id } = await atHome(sandbox(), ALEX).search(pasted, /^(?!.*Loading)/s);
  await sandbox().slack.closeView({ as: ALEX, view_id: id });
}

const askedOf = (requests: readonly { readonly path: string }[]) =>
  requests.flatMap(({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    return pathname.endsWith('/list') ? [searchParams.get('search') ?? ''] : [];
  });

describe('what people paste', () => {
  it.each(Object.entries(WAYS))('is asked for in the same way by %s', async (_name, ask) => {
    const { service } = sandbox();
    service.addVisitor({ short_id: 'siobhan', identities: ['Siobhán O’Connor'] });
    service.addVisitor({ short_id: 'sinead', identities: ["Sinead O'Hara"] });
    service.addVisitor({ short_id: 'pat', identities: ['Pat'], email: "pat.o'brien@example.test" });
    await atHome(sandbox(), ALEX).open();
    for (const [pasted, ...asked] of PAIRS) {
      const before = service.requests.length;
      await ask(pasted);
      expect([pasted, ...askedOf(service.requests.slice(before))]).toEqual([pasted, ...asked]);
    }
  });
});
