import type { HomeView, KnownBlock } from '@slack/types';
import type { Usage } from '../cobrowse/schemas.ts';
import type { SettingsNow } from '../grants/settings.ts';
import { button } from './buttons.ts';
import type { FailureWords } from './failure-words.ts';
import { deliveryParts } from './home-deliveries.ts';
import type { DeliveriesNow } from './home-deliveries.ts';
import { HOME_ACTION } from './home-ids.ts';
import { givenLinks, sessionsToday } from './home-work.ts';
import type { GivenLinks, TodaysSessions } from './home-work.ts';
import { settingsParts } from './home-settings.ts';
import { whoYouAre } from './home-you.ts';
import type { Identity } from './home-you.ts';
import { onlineNow } from './home-online.ts';
import type { OnlineNow } from './home-online.ts';
import { buttons, heading, lines, message, rule } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, date } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { usageLines } from './usage-card.ts';

/** Slack's limit for a Home tab. */
const MOST_BLOCKS = 100;
/** Slack's limit is 2,000. */
const LONGEST_ALT_TEXT = 1_900;
const TITLE = 'Co-browsing';

/** A part of the Home: what it shows, or why it cannot. */
export type Had<T> = { readonly had: T } | { readonly failed: FailureWords };

/** Usage in numbers, and a picture of it where there can be one. */
export interface UsageNow {
  readonly usage: Usage;
  readonly picture: { readonly url: string; readonly altText: string } | undefined;
}

/** Everything the Home shows to one person. What the service does not offer is absent. */
export interface HomeContent {
  /** When it was asked for. */
  readonly at: Date;
  readonly you: Had<Identity>;
  readonly online: Had<OnlineNow>;
  readonly sessions?: Had<TodaysSessions>;
  readonly links: Had<GivenLinks>;
  readonly usage?: Had<UsageNow>;
  /** For admins only. */
  readonly deliveries?: DeliveriesNow;
  readonly settings?: SettingsNow;
}

/** A Home tab, ready to be published. */
export interface HomeTab extends HomeView {
  readonly blocks: KnownBlock[];
}

const refresh = buttons(
  button({
    text: 'Refresh',
    actionId: HOME_ACTION.refresh,
    value: 'refresh',
    label: 'Refresh this tab',
  }),
);

function home(blocks: readonly KnownBlock[]): HomeTab {
  return { type: 'home', blocks: blocks.slice(0, MOST_BLOCKS) };
}

const blocksOf = (...parts: readonly Part[]): readonly KnownBlock[] => message(...parts).blocks;

function section<T>(title: string, content: Had<T> | undefined, parts: (had: T) => readonly Part[]) {
  if (content === undefined) return [];
  const inside =
    'failed' in content ? [lines([`Not shown. ${content.failed.title}: see above.`])] : parts(content.had);
  return blocksOf(heading(title), ...inside);
}

/** Each failure once, at the top: a service that is down fails every part alike. */
function failureLines({ you, online, sessions, links, usage }: HomeContent): readonly Part[] {
  const failures = [you, online, sessions, links, usage].flatMap((part) =>
    part !== undefined && 'failed' in part ? [part.failed] : [],
  );
  const different = new Map(failures.map((words) => [words.text, words]));
  const told = Array.from(different.values(), ({ text, next }): Line[] => [[bold(text)], [next]]);
  return told.length === 0 ? [] : [lines(...told.flat())];
}

function usageBlocks(usage: HomeContent['usage']): readonly KnownBlock[] {
  const numbers = section('Usage of the account', usage, (had) => [lines(...usageLines(had.usage))]);
  if (usage === undefined || 'failed' in usage || usage.had.picture === undefined) return numbers;
  const { url, altText } = usage.had.picture;
  return [...numbers, { type: 'image', image_url: url, alt_text: altText.slice(0, LONGEST_ALT_TEXT) }];
}

/** The whole Home tab of one person. */
export function homeView(content: HomeContent): HomeTab {
  const { at, you, online, sessions, links, usage, deliveries, settings } = content;
  return home([
    ...blocksOf(heading(TITLE), ...failureLines(content), lines(['As of ', date(at), '.']), refresh, rule),
    ...section('You', you, whoYouAre),
    ...section('Online now', online, onlineNow),
    ...section('Your sessions today', sessions, sessionsToday),
    ...section('Links you were given', links, givenLinks),
    ...usageBlocks(usage),
    ...(deliveries === undefined ? [] : blocksOf(rule, heading('Summaries'), ...deliveryParts(deliveries))),
    ...(settings === undefined ? [] : blocksOf(rule, heading('Settings'), ...settingsParts(settings))),
  ]);
}

/** The same without its picture, which the numbers above it tell as well; undefined where there is none. */
export function withoutPicture({ type, blocks }: HomeTab): HomeTab | undefined {
  const rest = blocks.filter((block) => block.type !== 'image');
  return rest.length === blocks.length ? undefined : { type, blocks: rest };
}

/** Shown at once, before anything is asked. */
export function homeSkeleton(): HomeTab {
  const titles = ['You', 'Online now', 'Your sessions today', 'Links you were given', 'Usage of the account'];
  const waiting = titles.flatMap((title) => [heading(title), lines(['One moment.'])]);
  return home(
    blocksOf(
      heading(TITLE),
      lines(['Asking the co-browsing service. This takes a moment.']),
      rule,
      ...waiting,
    ),
  );
}

/** The Home where it could not be made, with the words for why. */
export function failedHome({ blocks }: Message): HomeTab {
  return home([...blocksOf(heading(TITLE)), ...blocks, ...blocksOf(refresh)]);
}
