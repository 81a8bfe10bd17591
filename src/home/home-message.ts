import type { HomeView, KnownBlock } from '@slack/types';
import { accountSection, isUnconnected, type AccountNow } from '../admin/account.ts';
import { accessOffer, type AccessNow } from '../admin/access.ts';
import { settingsParts } from '../admin/settings-list.ts';
import { deliveryParts, type DeliveriesNow } from '../admin/undelivered.ts';
import { findingLine, type Finding } from '../admin/findings.ts';
import { usageLines } from '../admin/usage.ts';
import type { Usage } from '../cobrowse/schemas.ts';
import {
  button,
  buttons,
  heading,
  lines,
  message,
  rule,
  type Message,
  type Part,
} from '../messages/message.ts';
import { startButton } from '../messages/visitor-pieces.ts';
import { connectAccountWords, type FailureWords } from '../messages/failure-words.ts';
import type { ChartBlock } from '../messages/chart.ts';
import { bold, time, type Line, type Maybe, given } from '../messages/text.ts';
import type { SettingsNow } from '../workspaces/settings.ts';
import { webhooksSection, type WebhooksNow } from '../webhooks/messages.ts';
import { dayParts, whoYouAre, type Identity, type MyDay } from './my-day.ts';
import { busyNow, onlineNow, type OnlineNow } from './online.ts';
import { startedChart, startedParts, type StartedNow } from './started.ts';

/** Slack's limit for a Home tab. */
const MOST_BLOCKS = 100;
const TITLE = 'Co-browsing';
const STARTED = 'Sessions started from Slack';

export type Section<T> = { readonly had: T } | { readonly failed: FailureWords };

/** Everything Home shows one person. What the service doesn't offer is absent. */
export interface HomeContent {
  /** When it was asked for. */
  readonly at: Date;
  readonly you: Section<Identity>;
  readonly online: Section<OnlineNow>;
  readonly day: Section<MyDay>;
  /** For who sees customers. */
  readonly followUps?: readonly Part[];
  /** For who can see usage. */
  readonly started?: Section<StartedNow>;
  readonly usage?: Section<Usage>;
  /** For admins only. */
  readonly deliveries?: DeliveriesNow;
  readonly settings?: SettingsNow;
  readonly access?: AccessNow;
  readonly webhooks?: WebhooksNow;
  /** With many workspaces. */
  readonly account?: AccountNow;
  readonly missingScopes?: Finding;
}

export interface HomeTab extends HomeView {
  readonly blocks: (KnownBlock | ChartBlock)[];
}

const refresh = button({
  text: 'Refresh',
  actionId: 'home_refresh',
  value: 'refresh',
  label: 'Refresh this tab',
});

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** Enter searches. Source: docs.slack.dev/reference/block-kit/blocks/input-block, `dispatch_action`. */
const search: KnownBlock = {
  type: 'input',
  // Always the same, so that typed text stays when the tab is redrawn.
  block_id: 'home_search',
  dispatch_action: true,
  label: plain('Find a customer'),
  element: {
    type: 'plain_text_input',
    action_id: 'home_search',
    placeholder: plain('Name, email or lookup code'),
    max_length: 200,
    dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] },
  },
};

function home(...blocks: readonly (readonly (KnownBlock | ChartBlock)[])[]): HomeTab {
  return { type: 'home', blocks: blocks.flat().slice(0, MOST_BLOCKS) };
}

const blocksOf = (...parts: readonly Maybe<Part>[]): readonly KnownBlock[] => message(...parts).blocks;

/** @param parts of its content; it's left out where there is none */
function section<T>(
  title: string,
  content: Section<T> | undefined,
  parts: (had: T) => readonly Maybe<Part>[],
) {
  if (content === undefined) return [];
  const inside =
    'failed' in content ? [lines([`${content.failed.title}. See the top of this tab.`])] : parts(content.had);
  return blocksOf(heading(title), ...inside);
}

/** Each failure once, at the top: when the service is down, every part fails the same way. */
function failureLines({ account, missingScopes, ...content }: HomeContent): readonly Line[] {
  const { you, online, day, started, usage } = content;
  const failures = [you, online, day, started, usage].flatMap((part) =>
    part !== undefined && 'failed' in part ? [part.failed] : [],
  );
  const different = new Map(failures.map((words) => [words.text, words]));
  // Whoever can connect one sees how, just below.
  if (account !== undefined) different.delete(connectAccountWords.text);
  return [
    ...(missingScopes === undefined ? [] : [findingLine(missingScopes)]),
    ...[...different.values()].flatMap(({ text, next }): Line[] => [[bold(text)], [next]]),
  ];
}

/** Above the lists, which are long. */
function settingsSection({ settings, access, webhooks }: HomeContent): readonly KnownBlock[] {
  if (settings === undefined) return [];
  const offer = access === undefined ? [] : accessOffer(access);
  const hooks = webhooks === undefined ? [] : [heading('Webhooks'), ...webhooksSection(webhooks)];
  return blocksOf(heading('Settings'), ...offer, ...settingsParts(settings), ...hooks);
}

export function homeView(content: HomeContent): HomeTab {
  const { at, online, day, started, account, deliveries } = content;
  const failures = failureLines(content);
  const mayWatch = 'failed' in online || online.had.tools.mayNotWatch === undefined;
  const summaries = section('Summaries', deliveries && { had: deliveries }, deliveryParts);
  // Problems come before the customers, good news after them.
  const isInTrouble = deliveries !== undefined && deliveries.troubled.length > 0;
  const connection = section('Co-browsing account', account && { had: account }, accountSection);
  // Nothing works without it.
  const isConnectionFirst = account !== undefined && isUnconnected(account);
  const isAnybodyBusy = 'had' in online && online.had.busy.length > 0;
  return home(
    blocksOf(heading(TITLE), failures.length > 0 && lines(...failures)),
    isConnectionFirst ? connection : [],
    [search],
    blocksOf(buttons(mayWatch && startButton('Start co-browsing'), refresh), lines(['Updated ', time(at)])),
    isInTrouble ? summaries : [],
    settingsSection(content),
    isConnectionFirst ? [] : connection,
    isAnybodyBusy ? section('Waiting, asked or in session', online, busyNow) : [],
    section('Online now', online, onlineNow),
    blocksOf(...(content.followUps ?? [])),
    section('My day', day, dayParts),
    section(STARTED, started, startedParts),
    given([started !== undefined && 'had' in started && startedChart(started.had)]),
    section('Account usage', content.usage, (usage) => [lines(...usageLines(usage))]),
    section('You', content.you, (identity) => whoYouAre(identity, mayWatch)),
    isInTrouble ? [] : summaries,
  );
}

/** The tab without its chart, which only repeats the numbers above it; undefined where there is none. */
export function withoutChart({ type, blocks }: HomeTab): HomeTab | undefined {
  const rest = blocks.filter((block) => block.type !== 'data_visualization');
  return rest.length === blocks.length ? undefined : { type, blocks: rest };
}

/** Shown immediately, before anything is looked up. */
export function homeSkeleton(): HomeTab {
  const titles = ['Online now', 'My day', STARTED, 'Account usage', 'You'];
  const waiting = titles.flatMap((title) => [heading(title), lines(['Loading…'])]);
  return home(blocksOf(heading(TITLE), lines(['Loading from the co-browsing service…']), rule, ...waiting));
}

export function failedHome({ blocks }: Message): HomeTab {
  return home(blocksOf(heading(TITLE)), blocks, blocksOf(buttons(refresh)));
}
