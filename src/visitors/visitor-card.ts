import type { Visitor } from '../cobrowse/schemas.ts';
import { agentNames, latestFirst, sessionLineWith } from '../messages/session-words.ts';
import { buttons, context, lines, message, points, type Message, type Part } from '../messages/message.ts';
import {
  askButtons,
  beforeWatching,
  deviceOf,
  noWatchWords,
  onItIfFree,
  pageOf,
  partnerOf,
  pathOf,
  placeOf,
  presence,
  recordButtons,
  stopIfRunning,
  tellOnlineButton,
  visitorName,
  watchElements,
  whoLine,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import { bold, code, date, given, say, short, type Line } from '../messages/text.ts';

// Slack shows the end of a message: on a phone, more would push the name and Watch out of sight.
const SESSIONS_SHOWN = 2;
function list(texts: readonly string[], most: number): string {
  const shown = texts.map((text) => short(text, 60)).filter((text) => text !== '');
  const rest = shown.length - most;
  return rest > 0 ? `${shown.slice(0, most).join(', ')} and ${rest} more` : shown.join(', ');
}

function section(title: string, rows: readonly Line[]): Part[] {
  return rows.length === 0 ? [] : [lines([bold(title)]), points(...rows)];
}

/** "Tags: vip, checkout". No value can look like another fact. */
const labeled = (...facts: readonly (readonly [string, string])[]): string =>
  facts
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value.replaceAll('·', '-')}`)
    .join(' · ');

function mainFacts(visitor: Visitor, tools: VisitorTools): readonly Line[] {
  const page = pageOf(visitor);
  const about = given([placeOf(visitor), deviceOf(visitor)]).join(' · ');
  const known = labeled(
    ['Lookup code', short(visitor.lookup_code ?? '', 20)],
    ['Tags', list(visitor.tags, 10)],
  );
  const state = presence(visitor, partnerOf(tools, visitor));
  return [
    whoLine(visitor),
    say`${state}${page !== undefined && say` · Page: ${code(page)}`}`,
    ...[about, known].filter((line) => line !== '').map((line) => [line]),
  ];
}

function furtherFacts(visitor: Visitor): Part {
  const added = new Date(visitor.added_at ?? Number.NaN);
  return context(
    labeled(
      ['Other names', list(visitor.identities.slice(1), 10)],
      ['Integration', short(visitor.integration ?? '', 80)],
      ['Id', short(visitor.short_id, 60)],
      ['Unique id', short(visitor.unique_id ?? '', 60)],
    ),
    ...(Number.isNaN(added.getTime()) ? [] : ['First seen:', date(added)]),
  );
}

const recentSessions = ({ sessions }: Visitor): readonly Line[] =>
  latestFirst(sessions)
    .slice(0, SESSIONS_SHOWN)
    .map((session) => {
      const names = agentNames(session).join(', ');
      return sessionLineWith(session, names === '' ? [] : [`, with ${names}`]);
    });

export function visitorCard(visitor: Visitor, tools: VisitorTools): Message {
  return message(
    lines(...mainFacts(visitor, tools)),
    noWatchWords(tools.mayNotWatch),
    beforeWatching(tools),
    buttons(
      tellOnlineButton(visitor, tools),
      ...watchElements(visitor, tools),
      onItIfFree(visitor, tools),
      ...askButtons(visitor, tools),
      stopIfRunning(visitor, tools),
    ),
    recordButtons(visitorName(visitor), tools.recordsOf?.(visitor)),
    ...section('Pages seen', timeline(visitor)),
    ...section('Recent sessions', recentSessions(visitor)),
    furtherFacts(visitor),
  );
}

const PAGES_SHOWN = 3;
const ADDRESS_NAMES = ['url', 'page_url', 'location', 'href'] as const;
const TIME_NAMES = ['viewed_at', 'at', 'created_at', 'visited_at', 'time', 'timestamp'] as const;

/** Milliseconds since 1970; not a number where it isn't understood. */
function timeIn(value: unknown): number {
  // A number is seconds or milliseconds since 1970, by its size.
  if (typeof value === 'number') return value < 1e11 ? value * 1_000 : value;
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** The document doesn't show a pageview's form: an address under a usual name is understood, anything else left out. */
function pageSeen(element: unknown): { readonly path: string; readonly at: number }[] {
  if (typeof element === 'string') return pageSeen({ url: element });
  if (typeof element !== 'object' || element === null) return [];
  const fields = new Map<string, unknown>(Object.entries(element));
  const address = ADDRESS_NAMES.map((name) => fields.get(name)).find((value) => typeof value === 'string');
  const path = typeof address === 'string' ? pathOf(address) : undefined;
  const at = timeIn(TIME_NAMES.map((name) => fields.get(name)).find((value) => value !== undefined));
  return path === undefined ? [] : [{ path, at: new Date(at).getTime() || 0 }];
}

/** The pages seen last, newest first; never a query string. */
function timeline(visitor: Visitor): readonly Line[] {
  return visitor.history
    .flatMap(pageSeen)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, PAGES_SHOWN)
    .map(({ path, at }) => (at === 0 ? [code(path)] : [date(new Date(at)), '  ', code(path)]));
}
