import type { Visitor } from '../cobrowse/schemas.ts';
import { code, date } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { pathOf } from './visitor-pieces.ts';

// Slack shows the end of a message: on a phone, more would push the name and Watch out of sight.
const PAGES_SHOWN = 3;
const ADDRESS_NAMES = ['url', 'page_url', 'location', 'href'] as const;
const TIME_NAMES = ['viewed_at', 'at', 'created_at', 'visited_at', 'time', 'timestamp'] as const;

interface PageSeen {
  readonly path: string;
  readonly at: Date | undefined;
}

function timeOf(value: unknown): Date | undefined {
  // A number is seconds or milliseconds since 1970, by its size.
  const at =
    typeof value === 'number'
      ? new Date(value < 1e11 ? value * 1_000 : value)
      : new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** The document does not show the form of a pageview: an address under a usual name is understood, anything else left out. */
function pageSeen(element: unknown): PageSeen[] {
  if (typeof element === 'string') return pageSeen({ url: element });
  if (typeof element !== 'object' || element === null) return [];
  const fields = new Map<string, unknown>(Object.entries(element));
  const address = ADDRESS_NAMES.map((name) => fields.get(name)).find((value) => typeof value === 'string');
  const path = typeof address === 'string' ? pathOf(address) : undefined;
  if (path === undefined) return [];
  return [
    { path, at: timeOf(TIME_NAMES.map((name) => fields.get(name)).find((value) => value !== undefined)) },
  ];
}

/** The pages a visitor saw last, newest first, as a timeline of lines; never a query string. */
export function timeline(visitor: Visitor): readonly Line[] {
  return visitor.history
    .flatMap(pageSeen)
    .toSorted((a, b) => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0))
    .slice(0, PAGES_SHOWN)
    .map(({ path, at }) => (at === undefined ? [code(path)] : [date(at), '  ', code(path)]));
}
