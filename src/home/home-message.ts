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
import { HOME_ACTION } from '../messages/action-ids.ts';
import { bold, time, type Line, type Maybe } from '../messages/text.ts';
import type { SettingsNow } from '../workspaces/settings.ts';
import { webhooksSection, type WebhooksNow } from '../webhooks/messages.ts';
import { dayParts, type MyDay } from './my-day.ts';
import { busyNow, onlineNow, type OnlineNow } from './online.ts';
import { startedBlocks, type StartedNow } from './started.ts';
import { whoYouAre, type Identity } from './you.ts';

/** Slack's limit for a Home tab. */
const MOST_BLOCKS = 100;
const TITLE = 'Co-browsing';
const STARTED = 'Sessions started from Slack';

/** A section of Home: its content, or why there is none. */
export type Had<T> = { readonly had: T } | { readonly failed: FailureWords };

/** Everything Home shows one person. What the service doesn't offer is absent. */
export interface HomeContent {
  /** When it was asked for. */
  readonly at: Date;
  readonly you: Had<Identity>;
  readonly online: Had<OnlineNow>;
  readonly day: Had<MyDay>;
  /** For who sees customers. */
  readonly followUps?: readonly Part[];
  /** For who can see usage. */
  readonly started?: Had<StartedNow>;
  readonly usage?: Had<Usage>;
  /** For admins only. */
  readonly deliveries?: DeliveriesNow;
  readonly settings?: SettingsNow;
  readonly access?: AccessNow;
  readonly webhooks?: WebhooksNow;
  /** With many workspaces. */
  readonly account?: AccountNow;
  readonly missingScopes?: Finding;
}

/** A Home tab, ready to be published. */
export interface HomeTab extends HomeView {
  readonly blocks: KnownBlock[];
}

const refreshButton = button({
  text: 'Refresh',
  actionId: HOME_ACTION.refresh,
  value: 'refresh',
  label: 'Refresh this tab',
});
const refresh = buttons(refreshButton);

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** Enter searches. Source: docs.slack.dev/reference/block-kit/blocks/input-block, `dispatch_action`. */
const search: KnownBlock = {
  type: 'input',
  // Always the same, so that typed text stays when the tab is redrawn.
  block_id: HOME_ACTION.search,
  dispatch_action: true,
  label: plain('Find a customer'),
  element: {
    type: 'plain_text_input',
    action_id: HOME_ACTION.search,
    placeholder: plain('Name, email or lookup code'),
    max_length: 200,
    dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] },
  },
};

const mayWatch = ({ online }: HomeContent) =>
  'failed' in online || online.had.tools.mayNotWatch === undefined;

/** The first things to do: find someone, or start from the form. */
function firstSteps(content: HomeContent): readonly KnownBlock[] {
  return [
    search,
    ...blocksOf(
      buttons(...(mayWatch(content) ? [startButton('Start co-browsing')] : []), refreshButton),
      lines(['Updated ', time(content.at)]),
    ),
  ];
}

function home(blocks: readonly KnownBlock[]): HomeTab {
  return { type: 'home', blocks: blocks.slice(0, MOST_BLOCKS) };
}

const blocksOf = (...parts: readonly Maybe<Part>[]): readonly KnownBlock[] => message(...parts).blocks;

function section<T>(title: string, content: Had<T> | undefined, parts: (had: T) => readonly Part[]) {
  if (content === undefined) return [];
  const inside =
    'failed' in content ? [lines([`${content.failed.title}. See the top of this tab.`])] : parts(content.had);
  return blocksOf(heading(title), ...inside);
}

/** Each failure once, at the top: when the service is down, every part fails the same way. */
function failureLines({
  you,
  online,
  day,
  started,
  usage,
  account,
  missingScopes,
}: HomeContent): readonly Part[] {
  const failures = [you, online, day, started, usage].flatMap((part) =>
    part !== undefined && 'failed' in part ? [part.failed] : [],
  );
  const different = new Map(failures.map((words) => [words.text, words]));
  // Whoever can connect one sees how, just below.
  if (account !== undefined) different.delete(connectAccountWords.text);
  const failed = Array.from(different.values(), ({ text, next }): Line[] => [[bold(text)], [next]]);
  const scopes = missingScopes === undefined ? [] : [findingLine(missingScopes)];
  const all = [...scopes, ...failed.flat()];
  return all.length === 0 ? [] : [lines(...all)];
}

function startedSection(started: HomeContent['started']): readonly KnownBlock[] {
  if (started === undefined || 'failed' in started) return section(STARTED, started, () => []);
  return [...blocksOf(heading(STARTED)), ...startedBlocks(started.had)];
}

/** Above the lists, which are long. */
function settingsSection({ settings, access, webhooks }: HomeContent): readonly KnownBlock[] {
  if (settings === undefined) return [];
  const offer = access === undefined ? [] : accessOffer(access);
  const hooks = webhooks === undefined ? [] : [heading('Webhooks'), ...webhooksSection(webhooks)];
  return blocksOf(heading('Settings'), ...offer, ...settingsParts(settings), ...hooks);
}

/** At the top where nothing works without it. */
function accountBlocks({ account }: HomeContent, isAtTop: boolean): readonly KnownBlock[] {
  if (account === undefined || isUnconnected(account) !== isAtTop) return [];
  return blocksOf(heading('Co-browsing account'), ...accountSection(account));
}

/** The whole Home tab of one person. */
export function homeView(content: HomeContent): HomeTab {
  const { you, online, day, followUps, started, usage, deliveries } = content;
  const summaries =
    deliveries === undefined ? [] : blocksOf(heading('Summaries'), ...deliveryParts(deliveries));
  // Problems come before the customers, good news after them.
  const isInTrouble = deliveries !== undefined && deliveries.troubled.length > 0;
  const isAnybodyBusy = 'had' in online && online.had.busy.length > 0;
  return home([
    ...blocksOf(heading(TITLE), ...failureLines(content)),
    ...accountBlocks(content, true),
    ...firstSteps(content),
    ...(isInTrouble ? summaries : []),
    ...settingsSection(content),
    ...accountBlocks(content, false),
    ...(isAnybodyBusy ? section('Waiting, asked or in session', online, busyNow) : []),
    ...section('Online now', online, onlineNow),
    ...blocksOf(...(followUps ?? [])),
    ...section('My day', day, dayParts),
    ...startedSection(started),
    ...section('Account usage', usage, (had) => [lines(...usageLines(had))]),
    ...section('You', you, (had) => whoYouAre(had, mayWatch(content))),
    ...(isInTrouble ? [] : summaries),
  ]);
}

/** The same without its picture, which only repeats the numbers above it; undefined where there is none. */
export function withoutPicture({ type, blocks }: HomeTab): HomeTab | undefined {
  const rest = blocks.filter((block) => block.type !== 'image');
  return rest.length === blocks.length ? undefined : { type, blocks: rest };
}

/** Shown immediately, before anything is looked up. */
export function homeSkeleton(): HomeTab {
  const titles = ['Online now', 'My day', STARTED, 'Account usage', 'You'];
  const waiting = titles.flatMap((title) => [heading(title), lines(['Loading…'])]);
  return home(blocksOf(heading(TITLE), lines(['Loading from the co-browsing service…']), rule, ...waiting));
}

/** The Home when it couldn't be built, with the reason. */
export function failedHome({ blocks }: Message): HomeTab {
  return home([...blocksOf(heading(TITLE)), ...blocks, ...blocksOf(refresh)]);
}
