import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { Position } from '../database/newest-first.ts';
import { dayOf } from '../messages/days.ts';
import { troubleWords } from '../messages/delivery-words.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  points,
  problem,
  type Message,
  type Part,
} from '../messages/message.ts';
import { kindOf } from '../messages/slack-codes.ts';
import { fitting, MOST_ROWS, table, type Columns } from '../messages/table.ts';
import { bold, code, count as counted, say, short, type Line, type Maybe } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { defineCommand, definePress, jsonText, type Command } from './command.ts';
import { readFormat, recordFile, type RecordColumns, type RecordFormat } from './record-file.ts';
import {
  filterParts,
  filterText,
  LONGEST_FILTER,
  type ReadFilter,
  type RecordFilter,
} from './record-filter.ts';
import { Answered, type Caller, type Right } from './rights.ts';

type Id = string | number;

/** As in "by me": no customer is called that. */
const OWN = /(?<!\S)(?:me|mine|myself)(?!\S)/gi;

/** The filter as typed, the customers it named, once found, and when it was first used: later records don't move the pages. */
const Look = z.object({
  filter: z.string().max(LONGEST_FILTER),
  customers: z.array(z.string()).optional(),
  before: z.iso.datetime(),
});
type Look = z.infer<typeof Look>;

/** `offset` counts the records of the pages before. */
type Page<Place extends Id> = Look & { readonly from: Position<Place>; readonly offset: number };

/** As far as they were counted; `apart` are those that a line of their own is about. */
interface Counted {
  readonly others: number;
  readonly apart: number;
  readonly isAll: boolean;
}

interface Filing<Filed> {
  readonly columns: RecordColumns<Filed>;
  readonly records: AsyncIterable<Filed>;
  /** Whether some customers have no name: too many were asked for, or the service failed. */
  readonly isNamedInPart?: () => boolean;
  readonly detail?: NewEntry['detail'];
}

/** What somebody sees of the records that a filter keeps, newest first. */
interface Records<Place extends Id, Found, Shown, Filed> {
  readonly page: (
    most: number,
    from: Position<Place>,
  ) => Promise<{ readonly found: readonly Found[]; readonly next: Position<Place> | undefined }>;
  readonly count: (from: Position<Place>) => Promise<Counted>;
  readonly placeOf: (found: Found) => Position<Place>;
  readonly none: Message;
  /** Where they're shown in Slack. */
  readonly shown: (found: readonly Found[]) => Promise<readonly Shown[]>;
  readonly columns: Columns<Shown>;
  readonly line: (shown: Shown) => Line;
  readonly inWords: (shown: readonly Shown[]) => readonly Part[];
  /** Lines below the title, and what stands below the records. */
  readonly besides?: (shown: readonly Shown[], counted: Counted) => readonly [Maybe<Line>, Maybe<Part>];
  readonly file: (from: Position<Place>) => Promise<Filing<Filed>>;
}

interface AboutRecords extends Pick<Command, 'usage' | 'summary' | 'tool' | 'needs' | 'level'> {
  /** Of the command, and of its entries in the audit. */
  readonly name: 'audit' | 'sessions';
  readonly more?: readonly Part[];
  readonly right: Right;
  /** The word for one record. */
  readonly one: string;
  readonly title: string;
  readonly fileName: string;
  readonly filters: readonly (readonly [typed: string, meaning: string])[];
  readonly words: string;
  readonly examples: readonly string[];
  /** Of a page in words: all of it fits on a phone, and into a message's text. */
  readonly onAPage: number;
  readonly formats: readonly RecordFormat[];
}

interface RecordCommand<Word, Place extends Id, Found, Shown, Filed> extends AboutRecords {
  readonly id: z.ZodType<Place>;
  /** Where everything older than this time, in milliseconds since 1970, is still to come. */
  readonly before: (time: number) => Position<Place>;
  /** A string says what is wrong. */
  readonly read: (typed: string, now: number, zone: string | undefined) => ReadFilter<Word> | string;
  readonly nameOf: (word: Word) => string;
  /** @param zone whose clocks the reader has */
  readonly records: (
    caller: Caller,
    filter: RecordFilter<Word>,
    zone: string,
  ) => Promise<Records<Place, Found, Shown, Filed>>;
}

const BUTTONS = {
  csv: { text: 'Get the file', id: 'file' },
  jsonl: { text: 'As JSON lines', id: 'lines' },
} as const;

const OLDER = ' Older ones were left out to keep the file small: narrow it down with a filter.';
const UNNAMED =
  ' Some customers’ names are missing: there were too many, or the service didn’t answer. Their IDs are there.';

type NotSent = NonNullable<Awaited<ReturnType<App['sendFile']>>>;

/** The reason is Slack's own code, or ours. */
function fileRefused({ reason, neededScope = 'files:write' }: NotSent): Message {
  const kind = kindOf(reason);
  const isForAdmins = kind === 'missing-scope' || kind === 'not-allowed';
  return problem(
    say`Slack didn’t take the file: ${code(short(reason, 60))}.`,
    isForAdmins
      ? troubleWords({ kind, code: reason, neededScope }, true)
      : [
          'Check your direct messages with this app. If the file isn’t there, press again in a minute. If this keeps happening, tell your admin.',
        ],
  );
}

const explained = ({ name, filters, words }: AboutRecords, complaint: string): Message =>
  message(
    lines([short(complaint), ' Try one of these:']),
    points(...filters.map(([typed, meaning]) => [code(`/cobrowse ${name}${typed}`), `  ${meaning}`])),
    lines([`Filter by: ${words}.`]),
  );

const listButtons = ({ name, one, formats }: AboutRecords, more: string | undefined, look: Look): Part =>
  buttons(
    more !== undefined &&
      button({ text: 'More', actionId: `${name}_more`, value: more, label: `More: older ${one}s` }),
    ...formats.map((format) => {
      const { text, id } = BUTTONS[format];
      const label =
        format === 'csv' ? `${text} of these and all older ${one}s, as CSV` : 'Get the same as JSON lines';
      return button({ text, actionId: `${name}_${id}`, value: JSON.stringify(look), label });
    }),
  );

type ListApp = Pick<App, 'audit' | 'sendFile' | 'newBlocks' | 'zoneOf' | 'now'>;
/** The customers that the rest of a filter names; a string says why nobody can be meant. */
type CustomersNamed = (rest: string, caller: Caller) => Promise<readonly string[] | string>;

/** Finds the records that a look keeps, and shows them page by page. */
function createPages<Word, Place extends Id, Found, Shown, Filed>(
  app: ListApp,
  customersNamed: CustomersNamed,
  definition: RecordCommand<Word, Place, Found, Shown, Filed>,
) {
  const { name, one, title, onAPage } = definition;
  const start = ({ before }: Look) => definition.before(Date.parse(before));
  const note = ({ workspaceId, userId, channelId }: Caller, outcome: string, detail: NewEntry['detail']) =>
    app.audit.record({ workspaceId, userId, channelId, action: name, outcome, detail });

  /** @throws Answered with the usage if it can't be read */
  async function recordsOf(look: Look, caller: Caller) {
    const zone = await app.zoneOf(caller);
    const typed = look.filter.replaceAll(OWN, `<@${caller.userId}>`);
    const asked = definition.read(typed, Date.parse(look.before), zone);
    if (typeof asked === 'string') throw new Answered(explained(definition, asked));
    const customers = look.customers ?? (await customersNamed(asked.rest, caller));
    if (typeof customers === 'string') throw new Answered(explained(definition, customers));
    const filter = { ...asked.filter, visitorIds: [...asked.filter.visitorIds, ...customers] };
    const records = await definition.records(caller, filter, zone ?? 'UTC');
    return { records, filter, look: { ...look, customers: [...customers] }, zone: zone ?? 'UTC' };
  }

  async function show({ offset, from, ...asked }: Page<Place>, caller: Caller): Promise<Message> {
    const { records, filter, look } = await recordsOf(asked, caller);
    // Modals, as from the Home tab, have no tables.
    const inWords =
      caller.channelId === undefined || (await app.newBlocks.areRefused(caller.workspaceId, 'tables'));
    const most = inWords ? onAPage : MOST_ROWS;
    const [{ found, next }, size] = await Promise.all([records.page(most, from), records.count(start(look))]);
    await note(caller, 'done', { query: app.audit.hashOf(look.filter), found: found.length });
    if (found.length === 0 && next === undefined) return records.none;

    /** "1 session · today", "20 of 43 sessions, newest first · by @sam". */
    function titleOf(shown: number): Line {
      const total = size.others + size.apart;
      const range = offset === 0 ? `${shown}` : `${offset + 1} to ${offset + shown}`;
      const isWhole = size.isAll && offset === 0 && shown === total;
      const all = `${size.isAll ? '' : 'at least '}${counted(Math.max(total, offset + shown), one)}`;
      const some = `${isWhole ? '' : `${range} of `}${all}${shown > 1 ? ', newest first' : ''}`;
      const kept = filterParts(filter, definition.nameOf).flatMap((part) => [' · ', ...part]);
      return [bold(shown === 0 ? `No ${one}s so far` : some), ...kept];
    }

    function page(some: readonly Shown[], rows: readonly Part[]): Message {
      const last = some.length < found.length ? found[some.length - 1] : undefined;
      const rest = last === undefined ? next : records.placeOf(last);
      const after: Page<Place> | undefined = rest && { ...look, from: rest, offset: offset + some.length };
      const [under, below] = records.besides?.(some, size) ?? [];
      return message(
        lines(titleOf(some.length), under),
        ...rows,
        below,
        listButtons(definition, after && JSON.stringify(after), look),
      );
    }

    const shown = await records.shown(found);
    const first = shown.slice(0, onAPage);
    const said = page(first, records.inWords(first));
    const fit = inWords ? [] : fitting(records.columns, shown);
    if (fit.length === 0) return said;
    const rows = table(title, records.columns, fit, fit.map(records.line));
    return { ...said, richer: page(fit, [rows]) };
  }

  return { start, note, recordsOf, show };
}

/** A command that lists what is on record: by a filter, page by page, in a table or in words, or as a file. */
export function defineRecordCommand<Word, Place extends Id, Found, Shown, Filed>(
  app: ListApp,
  customersNamed: CustomersNamed,
  definition: RecordCommand<Word, Place, Found, Shown, Filed>,
): Command {
  const { name, one, title, right, formats } = definition;
  const { start, note, recordsOf, show } = createPages(app, customersNamed, definition);

  /** By direct message. */
  async function send(look: Look, caller: Caller, format: RecordFormat): Promise<Message> {
    const { records, zone } = await recordsOf(look, caller);
    const { columns, records: all, isNamedInPart, detail } = await records.file(start(look));
    const { content, count, isCut } = await recordFile(all, format, columns);
    if (count === 0) return records.none;
    const query = app.audit.hashOf(look.filter);
    const size = counted(count, one);
    const missing = `${isCut ? OLDER : ''}${isNamedInPart?.() ? UNNAMED : ''}`;
    const refusal = await app.sendFile(caller, {
      name: `${definition.fileName}-${dayOf(Date.parse(look.before), zone)}.${format}`,
      title,
      // Slack reads it as markup, so it has only our words.
      comment: `${title}: ${size}, newest first.${missing}`,
      content,
    });
    const outcome = refusal === undefined ? 'sent' : 'not-sent';
    await note(caller, outcome, { query, found: count, file: true, ...detail });
    return refusal === undefined
      ? done([`I sent you the file with ${size} as a direct message.${missing}`])
      : fileRefused(refusal);
  }

  const place = z.object({ at: z.int(), id: definition.id });
  return defineCommand({
    ...definition,
    argument: filterText,
    run(typed, caller) {
      const { format, filter } = readFormat(typed);
      const look = { filter, before: new Date(app.now()).toISOString() };
      if (format !== undefined) return send(look, caller, format);
      return show({ ...look, from: start(look), offset: 0 }, caller);
    },
    presses: [
      definePress({
        actionId: `${name}_more`,
        answer: 'replace',
        right,
        value: jsonText.pipe(Look.extend({ from: place, offset: z.int().min(0) })),
        run: (page, caller) => show(page, caller),
      }),
      ...formats.map((format) =>
        definePress({
          actionId: `${name}_${BUTTONS[format].id}`,
          answer: 'add',
          right,
          value: jsonText.pipe(Look),
          run: (look, caller) => send(look, caller, format),
        }),
      ),
    ],
  });
}
