import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { agentCard, noAgent } from '../../src/sessions/agent-card.ts';
import { noEmail } from '../../src/messages/refusals.ts';
import {
  allCommands,
  everydayHelp,
  similarCommand,
  unknownCommand,
  usageMessage,
} from '../../src/commands/help-message.ts';
import type { Message } from '../../src/messages/message.ts';
import { messageModal, shortcutFormModal } from '../../src/messages/modal.ts';
import { stopChoice, stopped } from '../../src/sessions/stop-messages.ts';
import { troubleOf } from '../../src/outbox/trouble.ts';
import { shortSummary, summary, summaryDetail, undeliveredSummary } from '../../src/sessions/summary.ts';
import { usageCard } from '../../src/admin/usage.ts';
import type { VisitorTools, WatchTarget } from '../../src/messages/visitor-buttons.ts';
import { visitorCard } from '../../src/visitors/visitor-card.ts';
import { noVisitors, visitorList } from '../../src/visitors/visitor-list.ts';
import { joinOffer, linkHereAgain, linkHereOffer, watchLinkReady } from '../../src/watch/link-here.ts';
import { whoLine } from '../../src/messages/visitor-pieces.ts';
import { watchAgain, watchOffer } from '../../src/messages/visitor-buttons.ts';
import { createTickets } from '../../src/tickets.ts';
import { WatchRequest } from '../../src/messages/link-request.ts';
import { ACCESS_LEVELS } from '../../src/permissions/access.ts';
import type { Access } from '../../src/permissions/access.ts';
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

const runs = { numRuns: 150 };

describe('whatever the service says of a visitor', () => {
  it('a list of ten is sound', () => {
    fc.assert(
      fc.property(
        fc.array(visitors, { minLength: 1, maxLength: 10 }),
        foreignText,
        fc.boolean(),
        (found, query, more) => {
          const list = {
            query,
            offset: 10,
            visitors: found,
            total: 10 + found.length,
            isCut: !more,
            previous: '{}',
            next: more ? '{}' : undefined,
            forDetails: more,
          };
          expect(problemsOf(visitorList(list, byAddress))).toEqual([]);
          expect(problemsOf(visitorList(list, byPress))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('its card, its Watch button and its link are sound', () => {
    const link = parseWatchLink('https://service.example/watch/abc');
    fc.assert(
      fc.property(
        visitors,
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (visitor, expiresAt) => {
          expect(problemsOf(visitorCard(visitor, byAddress))).toEqual([]);
          expect(problemsOf(watchOffer(visitor, byAddress))).toEqual([]);
          const again = watchAgain(visitor, byPress);
          expect(problemsOf(watchLinkReady({ visitor, link, expiresAt }, again))).toEqual([]);
          expect(problemsOf(again)).toEqual([]);
          const about = whoLine(visitor);
          const by = { userId: 'U0SAM000002', at: expiresAt };
          expect(problemsOf(linkHereOffer(about, 'watch', 'value'))).toEqual([]);
          expect(problemsOf(linkHereAgain(about, 'watch', 'value'))).toEqual([]);
          expect(problemsOf(joinOffer(about, by, 'value'))).toEqual([]);
        },
      ),
      runs,
    );
  });

  it('the question before a stop, and the word after it, are sound', () => {
    fc.assert(
      fc.property(fc.array(visitors, { minLength: 1, maxLength: 5 }), foreignText, (found, id) => {
        expect(problemsOf(stopChoice(found))).toEqual([]);
        for (const visitor of found)
          expect(problemsOf(stopped(visitor, 'U0ALEX00001', 'unsaved'))).toEqual([]);
        expect(problemsOf(stopped(id, 'U0ALEX00001'))).toEqual([]);
      }),
      runs,
    );
  });

  it('nothing of a query string or a fragment is ever shown', () => {
    fc.assert(
      fc.property(visitors, (visitor) => {
        const hidden = { ...visitor, last_url: 'https://shop.example/cart?SECRET=SECRET#SECRET' };
        const shown = [visitorCard(hidden, byPress), stopChoice([hidden]), watchOffer(hidden, byPress)];
        expect(JSON.stringify(shown)).not.toContain('SECRET');
      }),
      runs,
    );
  });
});

describe('whatever the service says of a session', () => {
  it('its summary is sound, in the channel and as a direct message', () => {
    fc.assert(
      fc.property(sessions, foreignText, foreignText, fc.boolean(), (session, visitor, reason, isCut) => {
        const content = {
          endId: 'end1',
          session,
          visitorId: visitor,
          visitor,
          isCut,
          watchedBy: 'U0ALEX00001',
          access: 'point',
          stoppedBy: { userId: 'U0SAM000002', reason },
          outcome: { outcome: 'follow-up', by: 'U0SAM000002', at: 0 },
        } as const;
        expect(problemsOf(summary(content), shortSummary(content), summaryDetail(content, true))).toEqual([]);
        expect(problemsOf(undeliveredSummary(content, 'C0SUPPORT01', troubleOf({ reason })))).toEqual([]);
      }),
      runs,
    );
  });

  it('an agent’s card is sound', () => {
    fc.assert(
      fc.property(agents, (agent) => {
        expect(
          problemsOf(agentCard({ ...agent, sessionCount: agent.sessions.length }, 0, () => '{}')),
        ).toEqual([]);
      }),
      runs,
    );
  });

  it('the numbers are sound', () => {
    fc.assert(
      fc.property(usages, (usage) => {
        expect(problemsOf(usageCard(usage))).toEqual([]);
      }),
      runs,
    );
  });
});

describe('whatever is typed', () => {
  it('what repeats it is sound', () => {
    fc.assert(
      fc.property(foreignText, (typed) => {
        const entry = { usage: 'find', summary: 'Find.' };
        expect(problemsOf(unknownCommand(typed), similarCommand(typed, entry))).toEqual([]);
        expect(problemsOf(usageMessage('No.', entry, 'find jane'))).toEqual([]);
        expect(problemsOf(noVisitors(typed), noVisitors(typed, `/cobrowse find ${typed}`))).toEqual([]);
        expect(problemsOf(noAgent(typed, undefined))).toEqual([]);
        expect(problemsOf(noEmail('U0KIM000003', 'agent'))).toEqual([]);
        expect(problemsOf(everydayHelp([entry], ['Find visitor']))).toEqual([]);
        expect(problemsOf(allCommands([entry], [entry]))).toEqual([]);
      }),
      runs,
    );
  });

  it('the form of a shortcut is sound', () => {
    // A clue is never empty nor over 75 characters; there may be many.
    const clue = fc.stringMatching(/^[\w@<>&.:/-]{1,75}$/);
    fc.assert(
      fc.property(fc.uniqueArray(clue, { maxLength: 30 }), (found) => {
        const clues = found.map((text) => ({ text, argument: text }));
        const form = { label: 'Search for', asksFor: 'a name', clues, offersNotes: true };
        const view = shortcutFormModal(frame, form);
        expect(problemsIn({ surface: 'modal', payload: view })).toEqual([]);
      }),
      runs,
    );
  });
});
