import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createCobrowse } from '../../src/cobrowse/client.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { DatabaseError } from '../../src/database/database.ts';
import { DrawnWatch, valueOf } from '../../src/messages/link-request.ts';
import { createDefineLinkPress } from '../../src/watch/handle-press.ts';
import type { IssueLink } from '../../src/watch/link-requests.ts';
import { createSlackAgent } from '../../src/workspaces/web-client.ts';
import type { Workspace } from '../../src/workspaces/workspaces.ts';
import { allow, order, unexpected } from './stage.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const nobody = { members: false, ids: [] };
const workspace: Workspace = {
  id: order.workspaceId,
  slack: new WebClient(),
  slackAgent: createSlackAgent(),
  cobrowse: createCobrowse({
    cloud: { baseUrl: 'https://service.example', apiKey: 'key' },
    onPremise: undefined,
    wireNames: defaultWireNames,
  }),
  accountId: 'account',
  ownAccountId: undefined,
  endSource: 'webhook',
  serviceUrls: [],
  linkHosts: [],
  hasPlainLinks: false,
  installedAs: unexpected,
  settings: unexpected,
  defaults: {
    rules: { watch: nobody, stop: nobody, delete: nobody, usage: nobody },
    summaryChannel: undefined,
  },
};

/** Alex's press of a Watch button whose page gave up, allowed; the database fails once there is an answer in Slack. */
function pressed(by: 'address' | 'answer', issueLink: IssueLink = unexpected) {
  const forgotten: unknown[] = [];
  const defineLinkPress = createDefineLinkPress(
    { publicUrl: 'https://app.example', now: () => NOON },
    {
      authorize: { watch: allow, refuse: unexpected },
      presses: {
        record: async () => ({ isGivenUp: true }),
        useOnce: async () => false,
        useFirst: async () => true,
        endDoubleTap: () => Promise.reject(new DatabaseError('unreachable')),
      },
      issueLink,
      needsPress: true,
      isOverHttp: true,
      since: 0,
      pageTime: async () => undefined,
      sendButton: unexpected,
      unconfirmedPresses: { confirm: unexpected, forget: async ({ userId }) => void forgotten.push(userId) },
      given: () => undefined,
    },
  );
  const press = defineLinkPress({
    actionId: 'watch',
    drawn: DrawnWatch,
    by,
    prepare: async () => ({
      ready: ({ link }) => ({ text: link.locationHeader(), blocks: [] }),
      inUse: () => ({ text: 'in use', blocks: [] }),
    }),
  });
  const { visitorId, access } = order;
  const value = valueOf({ press: { visitorId, access }, for: order.userId });
  const presser = { ...order, workspace, press: { id: 'press', pressedAt: NOON } };
  return { forgotten, answer: press.run(value, presser, ({ run }, about, who) => run(about, who)) };
}

describe('a press that is answered in Slack, where the database fails once the answer is there', () => {
  it('brings a link that was made', async () => {
    const link = parseWatchLink('https://service.example/watch/fresh');
    expect((await pressed('answer', async () => link).answer)?.text).toBe(link.locationHeader());
  });
});

it('forgets at a press that somebody’s Slack loses them, which was suspected since that was read', async () => {
  const { forgotten, answer } = pressed('address');
  await answer;
  expect(forgotten).toEqual([order.userId]);
});
