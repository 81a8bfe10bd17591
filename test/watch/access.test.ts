import type { KnownBlock } from '@slack/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, SUPPORT, anotherLink, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';
import { openStart } from '../slack/forms.ts';
import { linksMade } from './opening.ts';

const Body = z.object({ permissions: z.record(z.string(), z.boolean()).optional() });

/** The levels in the menu beside Watch. */
const levelsIn = ({ blocks }: { readonly blocks: readonly KnownBlock[] }) =>
  blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.flatMap((one) =>
          one.type === 'overflow' ? one.options.map(({ text }) => text.text) : [],
        )
      : [],
  );

const lastPermissions = (sandbox: Sandbox) => Body.parse(linksMade(sandbox).at(-1)?.body).permissions;

/** What the link asked for last grants, told by two of its flags. */
function grantedBy(sandbox: Sandbox): 'view' | 'point' | 'full' {
  const permissions = lastPermissions(sandbox);
  if (permissions === undefined) return 'full';
  expect(permissions['allow_click']).toBe(false);
  return permissions['allow_scroll'] === false ? 'view' : 'point';
}

describe('the menu beside Watch', () => {
  const { sandbox } = checkedSandbox();

  it('grants what it says, and Watch itself grants everything', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    const choices = levelsIn(offer);
    expect(choices).toEqual(['Watch: view only', 'Watch: point and scroll', 'Watch: full control']);
    const forbidden = ['agent_redirect', 'audio', 'click', 'console', 'type'];
    const off = Object.fromEntries(forbidden.map((what) => [`allow_${what}`, false]));
    const expected = [{ ...off, allow_draw: false, allow_scroll: false }, off, undefined];
    for (const [index, text] of choices.entries()) {
      const answer = await anotherLink(await alex.choose(offer, new RegExp(`^${text}$`)));
      expect(answer.headers.get('location')).toMatch(/^http/);
      expect(lastPermissions(sandbox())).toEqual(expected[index]);
    }
    await anotherLink(await alex.watch(offer));
    expect(lastPermissions(sandbox())).toBeUndefined();
  });
});

describe('the access that admins set', () => {
  const storeUrl = storeInFile();
  const { sandbox } = checkedSandbox({ storeUrl, service: { sessionLimit: 100 } });
  const offerIn = (channel: string) => personIn(sandbox(), ALEX, channel).type('/cobrowse watch jane4821');
  const watchIn = async (channel: string) =>
    anotherLink(await personIn(sandbox()).watch(await offerIn(channel)));

  beforeEach(() => writeSettings(sandbox(), {}));

  it('make Watch link what is usual in a channel, and elsewhere in the workspace', async () => {
    await writeSettings(sandbox(), { defaultAccess: 'point', channelAccess: { [SUPPORT]: 'view' } });
    await watchIn(SUPPORT);
    expect(grantedBy(sandbox())).toBe('view');
    await watchIn(SALES);
    expect(grantedBy(sandbox())).toBe('point');
  });

  it('bound the menu, and what is usual in a channel', async () => {
    await writeSettings(sandbox(), { maxAccess: 'point', channelAccess: { [SUPPORT]: 'full' } });
    expect(levelsIn(await offerIn(SUPPORT))).toEqual(['Watch: view only', 'Watch: point and scroll']);
    await watchIn(SUPPORT);
    expect(grantedBy(sandbox())).toBe('point');
    await writeSettings(sandbox(), { maxAccess: 'view' });
    expect(levelsIn(await offerIn(SUPPORT))).toEqual([]);
  });

  it('bound an older button, too, at the press; card and summary say what was granted in the end', async () => {
    const alex = personIn(sandbox());
    const older = await offerIn(SUPPORT);
    await writeSettings(sandbox(), { maxAccess: 'view' });
    const answer = await anotherLink(await alex.watch(older));
    expect(grantedBy(sandbox())).toBe('view');
    const card = await alex.message(({ text }) => /’s screen · View only/.test(text));
    const session = await sandbox().service.openWatchLink(answer.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    const summary = await alex.message(({ ts, text }) => ts === card.ts && text.includes('session ended'));
    expect(summary.text).toContain('Co-browsing session ended · View only');
  });

  it('are what the shortcut Start co-browsing offers, and begins with', async () => {
    await writeSettings(sandbox(), { defaultAccess: 'view' });
    const choice = async () =>
      (await openStart(sandbox())).blocks.flatMap((block) =>
        block.type === 'input' && block.element.type === 'radio_buttons' ? [block.element] : [],
      );
    const [all] = await choice();
    expect(all?.options.map(({ value }) => value)).toEqual(['view', 'point', 'full']);
    expect(all?.initial_option?.value).toBe('view');
    await writeSettings(sandbox(), { maxAccess: 'view' });
    expect(await choice()).toEqual([]);
  });
});

const inSocketMode = checkedSandbox({ socketMode: true });

it('the menu beside Watch gives a link with the chosen access in the place of the message in Socket Mode', async () => {
  const alex = personIn(inSocketMode.sandbox());
  const offer = await alex.type('/cobrowse watch jane4821');
  const ready = await alex.chooseToReplace(offer, /^Watch: view only/);
  expect(alex.button(ready, /^Open the live view/).url).toMatch(/^http/);
  expect(grantedBy(inSocketMode.sandbox())).toBe('view');
});
