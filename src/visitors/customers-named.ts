import type { Recording } from '../audit/recording.ts';
import type { Caller } from '../commands/rights.ts';
import type { Look, ReadFilter, RecordFilter } from '../commands/record-filter.ts';
import { isForbidden, searchText } from '../commands/typed.ts';
import { searchVisitors } from './visitor-search.ts';

/** A list is narrowed down to so many customers at most. */
const MOST_CUSTOMERS = 10;
/** A longer id fits into no button. */
const LONGEST_ID = 64;

/** The ids of the customers whom a filter names beside what else it says. A string is why nobody can be meant. */
async function customersNamed(
  rest: string,
  caller: Caller,
  recording: Pick<Recording, 'search'>,
): Promise<readonly string[] | string> {
  if (rest === '') return [];
  const quoted = `“${rest.slice(0, 60)}”`;
  if (isForbidden(rest, caller)) return 'That looks like a watch link, so I didn’t search for it.';
  const { data: query, error } = searchText.safeParse(rest);
  if (query === undefined) return error.issues[0]?.message ?? `I didn’t understand ${quoted}.`;
  const found = await recording.search(caller, query, () => searchVisitors(query, caller.workspace.cobrowse));
  const ids = found.map(({ short_id: id }) => id).filter((id) => id.length <= LONGEST_ID);
  if (ids.length === 0) return `I didn’t understand ${quoted}. No customer is called that, either.`;
  return ids.length > MOST_CUSTOMERS
    ? `More than ${MOST_CUSTOMERS} customers fit ${quoted}. Type more of the name, or an email.`
    : ids;
}

/** The filter with the customers that it names, searched for once: pages and files have them in their buttons. */
export async function withCustomers<Word>(
  { filter, rest }: ReadFilter<Word>,
  look: Look,
  caller: Caller,
  recording: Pick<Recording, 'search'>,
): Promise<{ readonly filter: RecordFilter<Word>; readonly customers: readonly string[] } | string> {
  const customers = look.customers ?? (await customersNamed(rest, caller, recording));
  if (typeof customers === 'string') return customers;
  return { filter: { ...filter, visitorIds: [...filter.visitorIds, ...customers] }, customers };
}
