import { WebClient } from '@slack/web-api';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { DrawnWatch, LinkRequest, valueOf } from '../../src/messages/link-request.ts';
import type { Message } from '../../src/messages/message.ts';
import { createTickets } from '../../src/tickets.ts';
import type { TicketKind } from '../../src/tickets.ts';
import type { Allowed, Decision } from '../../src/watch/authorize.ts';
import { ofButtons } from '../../src/watch/button-route.ts';
import { createDefineLinkPress } from '../../src/watch/handle-press.ts';
import { JoinAnswer, createWatchRoutes } from '../../src/watch/route.ts';
import type { WatchOutcome } from '../../src/watch/route.ts';
import type { Workspace } from '../../src/workspaces/workspaces.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** What Alex asks for, from #support. */
export const order = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  visitorId: 'jane4821',
  channelId: 'C0SUPPORT01',
  access: 'full',
} as const;

/** What is allowed where nobody has set, moved or opened anything. */
export const allowed = (request: LinkRequest): Allowed => ({
  request,
  agent: undefined,
  underWay: undefined,
  losesPresses: false,
  isBlocked: false,
});

export const allow = async (request: LinkRequest): Promise<Decision> => ({ allowed: allowed(request) });
export const unexpected = () => Promise.reject(new Error('asked without need'));

export const ticketKind = createTickets(['a sealing key of these tests that is long']);

/** What is around the routes of a button's address, where the app is installed. */
export const fromButton = (tickets: TicketKind<LinkRequest>) =>
  ofButtons({
    tickets,
    isInstalled: async () => true,
    asPage: (work) => work(),
    report: () => undefined,
  });

/** The routes of a button's address, where everybody may watch and each page has its press; and what they report. */
export function aPage(more: Partial<Parameters<typeof createWatchRoutes>[0]> = {}) {
  const outcomes: WatchOutcome[] = [];
  const tickets = ticketKind('watch', LinkRequest);
  const routes = createWatchRoutes({
    joinTickets: ticketKind('join', JoinAnswer),
    presses: {
      claim: async () => ({ pressId: 'press', isSecond: false }),
      giveUp: unexpected,
      useOnce: unexpected,
    },
    needsPress: true,
    waitMs: 0,
    authorize: { watch: allow, record: unexpected },
    issueLink: unexpected,
    uses: { countFailed: unexpected },
    sendButton: unexpected,
    run: '',
    nameOf: unexpected,
    workspaceOf: unexpected,
    now: () => NOON,
    report: (outcome) => void outcomes.push(outcome),
    ...more,
  }).map(fromButton(tickets));
  return { routes, outcomes, path: `/watch/${tickets.issue(order, 60_000)}` };
}

const nobody = { members: false, ids: [] };
const workspace: Workspace = {
  id: order.workspaceId,
  slack: new WebClient(),
  cobrowse: createCloudClient({
    baseUrl: 'https://service.example',
    apiKey: 'key',
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

/** Alex's press of a Watch button, allowed and answered; `by` its address, or in Slack. */
export function aPress(
  by: 'address' | 'answer',
  presses: Partial<Parameters<typeof createDefineLinkPress>[0]['presses']>,
  more: Partial<Parameters<typeof createDefineLinkPress>[0]> = {},
): Promise<Message | undefined> {
  const defineLinkPress = createDefineLinkPress({
    authorize: { watch: allow, refuse: unexpected },
    presses: {
      record: unexpected,
      useOnce: async () => true,
      useFirst: async () => true,
      endDoubleTap: async () => undefined,
      ...presses,
    },
    issueLink: unexpected,
    hasAddress: true,
    pageDecides: false,
    isOverHttp: true,
    since: 0,
    pageTime: async () => undefined,
    sendButton: unexpected,
    lostPresses: { confirm: unexpected, forget: unexpected },
    given: () => undefined,
    now: () => NOON,
    ...more,
  });
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
  return press.run(value, presser, ({ run }, about, who) => run(about, who));
}
