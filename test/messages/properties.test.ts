import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { agentCard, noAgent } from '../../src/team/agent.ts';
import { noEmail } from '../../src/messages/failure-words.ts';
import { usageMessage } from '../../src/commands/command.ts';
import type { Message } from '../../src/messages/message.ts';
import { clueForm } from '../../src/commands/clues.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { stopChoice, stopForm, stopped } from '../../src/team/stop.ts';
import { troubleOf } from '../../src/outbox/overview.ts';
import { shortSummary, summary, summaryDetail, undeliveredSummary } from '../../src/sessions/summary.ts';
import { subscriptionList } from '../../src/subscriptions/list.ts';
import {
  alreadySubscribed,
  subscribed,
  summariesEnded,
  summariesSetUp,
} from '../../src/subscriptions/messages.ts';
import { stillPaused, subscriptionsPaused } from '../../src/subscriptions/pauses.ts';
import type { Subscription } from '../../src/subscriptions/subscription.ts';
import { deleted, deleteOfflineForm, deleteQuestion } from '../../src/visitors/delete.ts';
import {
  watchAgain,
  watchOffer,
  whoLine,
  type VisitorTools,
  type WatchTarget,
} from '../../src/messages/visitor-pieces.ts';
import { visitorCard } from '../../src/visitors/visitor-card.ts';
import { noVisitors, visitorList } from '../../src/visitors/visitor-list.ts';
import { joinOffer, linkHereAgain, linkHereOffer, watchLinkReady } from '../../src/watch/link-here.ts';
import { findingsReport } from '../../src/admin/findings.ts';
import { usageCard } from '../../src/admin/usage.ts';
import { digestMessage } from '../../src/subscriptions/digests.ts';
import { proxyOffer } from '../../src/watch/proxy.ts';
import { longAddress } from '../support/any-text.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { WatchRequest } from '../../src/messages/link-request.ts';
import { ACCESS_LEVELS, type Access } from '../../src/permissions/permissions.ts';
import { problemsIn } from '../support/shown.ts';
import { agents, foreignText, sessions, usages, visitors } from './arbitrary.ts';

const frame = { title: 'Find visitor', context: '{"channelId":"C0SUPPORT01"}' };
const tickets = createTickets(['k'.repeat(32)], Date.now)('watch', WatchRequest);
const caller = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  channelId: 'C0SUPPORT01',
  threadTs: '1.000001',
};

/** Real tickets, so that an address over Slack's limit would show. */
const byAddress = toolsWith((visitorId, access) => ({
  value: JSON.stringify({ visitorId, access }),
  url: `https://cobrowse.example.com/watch/${tickets.issue({ ...caller, visitorId, access }, 60_000)}`,
}));
const byPress = toolsWith((visitorId, access) => ({ value: JSON.stringify({ visitorId, access }) }));

function toolsWith(target: (visitorId: string, access: Access) => WatchTarget): VisitorTools {
  return {
    canStop: true,
    at: new Date('2026-03-04T10:00:00Z'),
    targetsOf: (visitorId) => ({
      usual: target(visitorId, 'full'),
      choices: ACCESS_LEVELS.map((access) => ({ access, target: target(visitorId, access) })),
    }),
  };
}

/** What is wrong with messages, each as a message and inside a modal, with what will replace it. */
const problemsOf = (...messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => [
    ...problemsIn({ surface: 'message', payload: { text: message.text, blocks: message.blocks } }),
    ...problemsIn({ surface: 'modal', payload: messageModal(frame, message) }),
    ...(message.until === undefined ? [] : problemsOf(message.until.instead)),
  ]);

const USER = 'U0ALEX00001';
const dates = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
const several = fc.array(visitors, { minLength: 1, maxLength: 5 });

/** A subscription with its place and filters called like this. */
const subscriptionOf = (name: string): Subscription => ({
  id: '12',
  workspaceId: 'T1',
  channelId: 'C0SUPPORT01',
  form: 'thread',
  setUpBy: USER,
  setUpAt: 0,
  paused: { reason: name, since: 0 },
  nextAt: 0,
  digests: 0,
  version: 1,
  filters: { agents: [USER], groups: [{ id: 'S0123ABCD', handle: name }], tags: [name], minSeconds: 300 },
});

/** What people read, made of what the service says or somebody types. */
const read: Readonly<Record<string, fc.Arbitrary<readonly Message[]>>> = {
  'a list of ten visitors': fc
    .tuple(fc.array(visitors, { minLength: 1, maxLength: 10 }), foreignText, fc.boolean())
    .map(([found, query, more]) => {
      const list = {
        query,
        offset: 10,
        visitors: found,
        total: 10 + found.length,
        isCut: !more,
        cutAtMiB: undefined,
        previous: '{}',
        next: more ? '{}' : undefined,
        forDetails: more,
      };
      return [visitorList(list, byAddress), visitorList(list, byPress)];
    }),
  'a visitor’s card, Watch button and link': fc.tuple(visitors, dates).map(([visitor, expiresAt]) => {
    const link = parseWatchLink('https://service.example/watch/abc');
    const again = watchAgain(visitor, byPress);
    const about = whoLine(visitor);
    return [
      visitorCard(visitor, byAddress),
      watchOffer(visitor, byAddress),
      watchLinkReady(visitor, { link, expiresAt }, again),
      again,
      linkHereOffer(about, 'watch', 'value'),
      linkHereAgain(about, 'watch', 'value'),
      joinOffer(about, { userId: 'U0SAM000002', at: expiresAt }, 'value'),
    ];
  }),
  'the question before a stop, and the word after it': several.map((found) => [
    stopChoice(found),
    ...found.map((visitor) =>
      stopped(visitor, USER, true, ['Your reason won’t be posted: I couldn’t save it.']),
    ),
  ]),
  'the question before a deletion, and the word after it': fc
    .tuple(several, foreignText)
    .map(([found, typed]) => [deleteQuestion(found, typed), deleted(typed, USER)]),
  'the summary of a session, in the channel and as a direct message': fc
    .tuple(sessions, foreignText, foreignText, fc.boolean())
    .map(([session, visitor, reason, isCut]) => {
      const content = {
        endId: 'end1',
        session,
        visitorId: visitor,
        visitor,
        isCut,
        watchedBy: USER,
        access: 'point',
        stoppedBy: { userId: 'U0SAM000002', reason },
        outcome: { outcome: 'follow-up', by: 'U0SAM000002', at: 0 },
      } as const;
      const details = summaryDetail(content, true);
      return [
        summary(content),
        shortSummary(content),
        undeliveredSummary(content, 'C0SUPPORT01', troubleOf({ reason })),
        ...(details === undefined ? [] : [details]),
      ];
    }),
  'the numbers': usages.map((usage) => [usageCard(usage)]),
  'a digest': foreignText.map((name) => {
    const period = { from: 0, to: 0, zone: 'America/Argentina/ComodRivadavia', isWeekly: true };
    const counted = { sessions: 12_000, notAccepted: 1_000, seconds: 90_000, outcomes: [], bars: [] };
    const named = { agents: [{ name, sessions: 1 }], features: [{ name, sessions: 2 }] };
    return [digestMessage({ ...period, ...counted, ...named })];
  }),
  'the offer of a session on a partner’s page': longAddress.map((initialUrl) => [
    proxyOffer({ initialUrl, allowedDomains: ['shop.example'] }, { value: '{}' }),
  ]),
  'what the doctor finds': foreignText.map((name) => [
    findingsReport([
      { about: 'Channel', state: 'failure', says: name, next: name, channelId: 'C0SUPPORT01' },
    ]),
  ]),
  'an agent’s card': agents.map((agent) => [agentCard({ ...agent, sessionCount: agent.sessions.length })]),
  'what is said of a subscription': foreignText.map((name) => {
    const subscription = subscriptionOf(name);
    return [
      subscriptionList([{ ...subscription, isHidden: false }], 3, false),
      subscriptionsPaused([subscription, { ...subscription, id: '13' }]),
      stillPaused(subscription, name),
      alreadySubscribed(subscription),
      subscribed(subscription, subscription),
      ...Object.values(summariesSetUp(USER, subscription, subscription)),
      summariesEnded(USER, subscription),
    ];
  }),
  'what repeats typed words': foreignText.map((typed) => {
    const entry = { usage: 'find', summary: 'Find.' };
    return [
      usageMessage('No.', entry, 'find jane'),
      noVisitors(typed),
      noVisitors(typed, { meant: `/cobrowse find ${typed}` }),
      noAgent(typed),
      noEmail('U0KIM000003', 'agent', false),
    ];
  }),
};

const runs = { numRuns: 100 };

describe('whatever the service says or somebody types', () => {
  it.each(Object.entries(read))('is sound in %s', (_what, messages) => {
    fc.assert(
      fc.property(messages, (all) => {
        expect(problemsOf(...all)).toEqual([]);
      }),
      runs,
    );
  });

  it('is sound in the forms that lead to it', () => {
    // A clue is never empty nor over 75 characters; there may be many.
    const clue = fc.stringMatching(/^[\w@<>&.:/-]{1,75}$/);
    fc.assert(
      fc.property(visitors, fc.uniqueArray(clue, { maxLength: 30 }), (visitor, found) => {
        const links = [{ userId: 'U0SAM000002', at: 0 }];
        const forms = [
          stopForm(visitor, links),
          deleteOfflineForm(),
          clueForm({ label: 'Search for', asksFor: 'a name' }, found, true),
        ].map((form) => formModal(frame, 'form', form));
        expect(forms.flatMap((payload) => problemsIn({ surface: 'modal', payload }))).toEqual([]);
      }),
      runs,
    );
  });
});
