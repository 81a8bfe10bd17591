import { expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { createPressHandler } from '../../src/watch/handle-press.ts';
import type { IssueLink } from '../../src/watch/issue-link.ts';
import { ALEX } from '../support/person.ts';
import { ALLOWED } from './facts.ts';

/** A press of Alex's that is answered in Slack, where the database fails once the answer is there. */
function press(issueLink: IssueLink) {
  const handler = createPressHandler({
    authorize: { watch: async () => ALLOWED, refuse: async () => ALLOWED },
    presses: {
      record: () => Promise.reject(new Error('Nobody opens a page.')),
      spend: async () => true,
      spendFirst: async () => true,
      endAct: () => Promise.reject(new DatabaseError('unreachable')),
    },
    issueLink,
    pageJudges: false,
    reasonAgainstTime: () => undefined,
    pageTime: async () => undefined,
    sendOffer: async () => 'nowhere',
    lostPresses: { confirm: async () => undefined, forget: async () => undefined },
    given: () => undefined,
  });
  const drawn = { press: { visitorId: 'jane4821', access: 'full' }, for: ALEX } as const;
  const presser = { workspaceId: 'T1', userId: ALEX, press: { id: 'press', pressedAt: 0 } };
  return handler.link(drawn, presser, false, async () => 'prepared');
}

it('brings a link that was made, though the database fails right after', async () => {
  const link = parseWatchLink('https://service.example/watch/fresh');
  expect(await press(async () => link)).toEqual({ is: 'link', link, prepared: 'prepared' });
});

it('says why no link was made, not that the database fails right after', async () => {
  const busy = new CobrowseError('busy', 'busy');
  await expect(press(() => Promise.reject(busy))).rejects.toBe(busy);
});
