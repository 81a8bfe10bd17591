import { expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { createPressHandler } from '../../src/watch/handle-press.ts';
import type { IssueLink } from '../../src/watch/issue-link.ts';
import { ALEX } from '../support/person.ts';
import { allow } from './facts.ts';

/** A press of Alex's that is answered in Slack, where the database fails once the answer is there. */
function press(issueLink: IssueLink) {
  const handler = createPressHandler({
    authorize: { watch: allow, refuse: allow },
    presses: {
      record: () => Promise.reject(new Error('Nobody opens a page.')),
      useOnce: async () => true,
      useFirst: async () => true,
      endDoubleTap: () => Promise.reject(new DatabaseError('unreachable')),
    },
    issueLink,
    pageDecides: false,
    reasonAgainstTime: () => undefined,
    pageTime: async () => undefined,
    sendButton: async () => 'nowhere',
    lostPresses: { confirm: async () => undefined, forget: async () => undefined },
    given: () => undefined,
    now: () => 0,
  });
  const drawn = { press: { visitorId: 'jane4821', access: 'full' }, for: ALEX } as const;
  const presser = { workspaceId: 'T1', userId: ALEX, press: { id: 'press', pressedAt: 0 } };
  return handler.link(drawn, presser, false, async () => ({
    ready: ({ link }) => ({ text: link.locationHeader(), blocks: [] }),
    inUse: () => ({ text: 'in use', blocks: [] }),
  }));
}

it('brings a link that was made, though the database fails right after', async () => {
  const link = parseWatchLink('https://service.example/watch/fresh');
  expect((await press(async () => link))?.text).toBe('https://service.example/watch/fresh');
});

it('says why no link was made, not that the database fails right after', async () => {
  const busy = new CobrowseError('busy', 'busy');
  await expect(press(() => Promise.reject(busy))).rejects.toBe(busy);
});
