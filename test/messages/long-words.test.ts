import { describe, expect, it } from 'vitest';
import { blockKitProblems } from '../../sandbox/slack/block-kit.ts';
import type { Surface } from '../../sandbox/slack/block-kit.ts';
import { ruleForm } from '../../src/admin/rule-form.ts';
import { ruleSaved, ruleTitle } from '../../src/admin/rule-list.ts';
import { settingsForm } from '../../src/admin/access-form.ts';
import { settingsSaved } from '../../src/admin/settings-list.ts';
import { AgentSchema, SessionSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { homeSkeleton } from '../../src/home/home-message.ts';
import { agentCard, noAgent } from '../../src/sessions/agent-card.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  unexpectedFailureWords,
} from '../../src/messages/failure-words.ts';
import { findingsReport } from '../../src/admin/findings.ts';
import { MOST_ASKED } from '../../src/messages/form-fields.ts';
import type { Message } from '../../src/messages/message.ts';
import { formModal, loadingModal, messageModal, shortcutFormModal } from '../../src/messages/modal.ts';
import type { FormContent } from '../../src/messages/modal.ts';
import { refused, rightUnknownWords } from '../../src/messages/refusals.ts';
import { LIMITS } from '../../src/messages/text.ts';
import { whoLine } from '../../src/messages/visitor-pieces.ts';
import { watchAgain, watchOffer } from '../../src/messages/visitor-buttons.ts';
import { joinOffer, linkHereInstead, linkHereOffer, watchLinkReady } from '../../src/watch/link-here.ts';
import { troubleOf } from '../../src/outbox/trouble.ts';
import { ACCESS_LEVELS } from '../../src/permissions/access.ts';
import { stopChoice, stopForm, stopped } from '../../src/sessions/stop-messages.ts';
import { digestMessage } from '../../src/subscriptions/digest-message.ts';
import { subscriptionList } from '../../src/subscriptions/list.ts';
import {
  alreadySubscribed,
  subscribed,
  summariesEnded,
  summariesSetUp,
} from '../../src/subscriptions/messages.ts';
import { stillPaused, subscriptionsPaused } from '../../src/subscriptions/pause-messages.ts';
import type { Subscription } from '../../src/subscriptions/subscription.ts';
import { deleteOfflineForm, deleteQuestion, deleted } from '../../src/visitors/delete.ts';
import { pressRefused } from '../../src/watch/press-refusals.ts';
import { proxyOffer } from '../../src/watch/proxy.ts';
import { startForm } from '../../src/watch/start.ts';
import { tools } from '../home/home-content.ts';
import { fortnight, full, usage } from '../home/home-content.ts';
import { straightQuotesIn } from '../support/typography.ts';

const at = new Date('2026-03-04T22:30:00Z');
const USER = 'U0ALEX00001';
const CHANNEL = 'C0SUPPORT01';
const frame = (title: string) => ({ title, context: '{}' });

interface Shown {
  readonly surface: Surface;
  readonly payload: object;
}

const asMessage = ({ text, blocks }: Message): Shown[] => [
  { surface: 'message', payload: { text, blocks } },
  { surface: 'modal', payload: messageModal(frame('Find visitor'), { text, blocks }) },
];
const asForm = (title: string, form: FormContent): Shown => ({
  surface: 'modal',
  payload: formModal(frame(title), 'form', form),
});

/** What people see of somebody and something called like this. */
function shownOf(name: string, id: string): readonly Shown[] {
  const email = `${name}@acme.com`;
  const visitor = VisitorSchema.parse({ short_id: id, identities: [name], email, is_online: true });
  const offline = { ...visitor, is_online: false };
  const session = SessionSchema.parse({
    id: 's1',
    visitor_id: id,
    started_at: '2026-03-04T09:00:00Z',
    features_used: [name],
  });
  const agent = AgentSchema.parse({ id, name, email });
  const content = { filters: { agents: [USER], groups: [{ id: 'S0123ABCD', handle: name }], tags: [name] } };
  const subscription: Subscription = {
    id: '12',
    workspaceId: 'T1',
    channelId: CHANNEL,
    form: 'thread',
    setUpBy: USER,
    setUpAt: at.getTime(),
    paused: { reason: name, since: at.getTime() },
    filters: { ...content.filters, minSeconds: 300 },
  };
  const groups = Array.from({ length: 12 }, (_, index) => ({ id: `S${index}GROUP`, name, handle: name }));
  const rule = { members: false, ids: groups.slice(0, MOST_ASKED).map((group) => group.id) };
  const proxy = { initialUrl: `https://shop.example/${name}`, allowedDomains: ['shop.example'] };
  const settings = {
    maxAccess: 'full',
    defaultAccess: 'point',
    channelAccess: { [CHANNEL]: 'view' },
    rules: {},
  } as const;
  const link = parseWatchLink('https://service.example/watch/abc');
  const about = whoLine(visitor);
  const failures = ['not-found', 'limit-reached', 'refused-key', 'unreachable', 'not-understood'] as const;
  return [
    ...[
      agentCard({ ...agent, sessions: [session], sessionCount: 1_200 }, 0, () => '{}'),
      noAgent(email, USER),
      deleteQuestion([offline], name),
      deleteQuestion([offline, visitor], name),
      deleted(id, USER),
      digestMessage(
        {
          from: at.getTime(),
          to: at.getTime(),
          zone: 'America/Argentina/ComodRivadavia',
          isWeekly: true,
          sessions: 12_000,
          notAccepted: 1_000,
          seconds: 90_000,
          agents: [{ name, sessions: 1 }],
          features: [{ name, sessions: 2 }],
          outcomes: [],
          bars: [],
        },
        undefined,
      ),
      ...failures.map((kind) => failureMessage(cobrowseFailureWords(kind, name.slice(0, 60)))),
      failureMessage(unexpectedFailureWords('1a2b3c4d')),
      failureMessage(rightUnknownWords({ missingScope: 'usergroups:read' })),
      findingsReport([{ about: 'Channel', state: 'failure', says: name, next: name, channelId: CHANNEL }]),
      ruleSaved('delete', rule),
      settingsSaved(settings, [{ name: 'defaultAccess', by: USER }]),
      linkHereOffer(about, 'watch', '{}'),
      linkHereInstead(about, 'proxy', '{}'),
      joinOffer(about, { userId: USER, at }, '{}'),
      pressRefused('late'),
      proxyOffer(proxy, { value: '{}' }),
      ...(['external', 'guest', 'left-channel', 'not-named'] as const).map((why) => refused('watch', why)),
      stopChoice([visitor]),
      stopped(visitor, USER, 'unseen'),
      subscriptionList([{ ...subscription, isHidden: false }], { title: name, hidden: 3, more: '{}' }),
      subscriptionsPaused([subscription, { ...subscription, id: '13' }]),
      stillPaused(subscription, name),
      alreadySubscribed(subscription),
      subscribed(subscription, subscription),
      ...Object.values(summariesSetUp(USER, subscription, subscription)),
      summariesEnded(USER, subscription),
      watchOffer(visitor, tools),
      watchLinkReady({ visitor, link, expiresAt: at }, watchAgain(visitor, tools)),
    ].flatMap(asMessage),
    { surface: 'modal', payload: loadingModal(frame(ruleTitle('delete'))) },
    asForm('Delete offline visitors', deleteOfflineForm()),
    asForm(ruleTitle('delete'), ruleForm(rule, groups)),
    asForm(ruleTitle('delete'), ruleForm(rule, undefined)),
    asForm('Settings', settingsForm(settings, ACCESS_LEVELS)),
    asForm(
      'Start co-browsing',
      startForm({ accessLevels: ACCESS_LEVELS, usual: 'view', summariesTo: 'person' }),
    ),
    asForm('Stop session', stopForm({ visitor, askedBy: USER, links: [{ userId: 'U0SAM000002', at }] })),
    {
      surface: 'modal',
      payload: shortcutFormModal(frame('Find visitor'), {
        label: 'Name, email or search',
        asksFor: 'a name or email',
        offersNotes: true,
        clues: ['a', 'b'].map((clue) => ({ text: `${clue}${name}`.slice(0, 75), argument: clue })),
      }),
    },
    { surface: 'home', payload: homeSkeleton() },
    {
      surface: 'home',
      payload: full({
        you: { had: { is: 'agent', agent, email } },
        online: { had: { busy: [visitor], others: [visitor], hasMore: true, tools } },
        day: {
          had: {
            latest: [{ visitor: name, at, result: { endedAt: at.getTime(), lengthSeconds: 90 } }],
            earlier: 3,
            hasSessions: true,
            reportsEnds: true,
          },
        },
        started: { had: { days: fortnight(3), picture: undefined } },
        usage: { had: usage },
        deliveries: {
          waiting: 1,
          oldest: { since: at, isLate: true, isInTurn: false },
          before: 0,
          more: 0,
          troubled: [
            {
              id: 'd1',
              place: { is: 'channel', channelId: CHANNEL },
              trouble: troubleOf({ reason: 'missing_scope', neededScope: name }),
              about: { visitor: name, userId: USER },
              state: { is: 'waiting', since: at, attempts: 3, nextAt: at },
            },
          ],
        },
      }),
    },
  ];
}

const WORDS = new Set(['text', 'fallback', 'alt_text', 'accessibility_label']);

/** The same with every text 40 % longer, as a translation may be. The builder cuts a modal's title by itself. */
function longer(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return WORDS.has(name) ? value + 'x'.repeat(value.length * 0.4) : value;
  if (Array.isArray(value)) return value.map((each) => longer(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'title' ? each : longer(each, key)]),
  );
}

const problemsIn = (shown: readonly Shown[], change = (payload: unknown) => payload) =>
  shown.flatMap(({ surface, payload }) =>
    blockKitProblems(surface, change(payload)).map((problem) => `${JSON.stringify(payload)}: ${problem}`),
  );

describe('everything that people read in Slack', () => {
  it('fits Slack’s limits where names are as long as they come', () => {
    expect(problemsIn(shownOf('Wolfeschlegelsteinhausenbergerdorff '.repeat(300), 'v'.repeat(255)))).toEqual(
      [],
    );
  });

  it('has typographic quotes and apostrophes', () => {
    const shown = shownOf('Jane Cooper', 'jane4821');
    expect(shown.flatMap(({ payload }) => straightQuotesIn(payload))).toEqual([]);
    const planted = { blocks: [{ type: 'section', text: { type: 'plain_text', text: "It isn't" } }] };
    expect(straightQuotesIn(planted)).toHaveLength(1);
  });

  it('leaves room for words that are 40 % longer', () => {
    expect(problemsIn(shownOf('Jane Cooper', 'jane4821'), (payload) => longer(payload))).toEqual([]);
  });

  it('has modal titles that nobody has to cut', () => {
    for (const act of ['watch', 'stop', 'delete', 'usage'] as const)
      expect(ruleTitle(act).length).toBeLessThanOrEqual(LIMITS.modalTitle);
  });
});
