import { z } from 'zod';
import { jsonOf } from '../database/database.ts';
import { CobrowseError } from './errors.ts';

/** Empty for no name. */
export const pathOf = (wireName: string): readonly string[] =>
  wireName.split('.').filter((key) => key !== '');

/** Undefined if there is none, or no path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return undefined;
  return rest.length === 0 ? value[key] : valueAt(value[key], rest);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withValueAt(
  object: Readonly<Record<string, unknown>>,
  [key, ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (key === undefined || value === undefined) return object;
  const inner = isObject(object[key]) ? object[key] : {};
  return { ...object, [key]: rest.length === 0 ? value : withValueAt(inner, rest, value) };
}

const textLike = (pattern: RegExp, rule: string) => z.string(rule).regex(pattern, rule);

/** A name, a path of names, or nothing. A dot at the start makes a path of a name alone. */
const fieldName = textLike(
  /^(?=.{0,64}$)(?:\.?_?[A-Za-z][\w-]*(?:\._?[A-Za-z][\w-]*)*)?$/,
  'must be empty, or letters, digits, "_" and "-", 64 at most, where each part between dots starts with a letter or one "_"',
);
const name = (usual: string) => fieldName.default(usual);

const pathPrefix = textLike(/^(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/, 'must be a path like "/v1.3"');

/** Source: RFC 9110, tokens, limited to characters that real ones use. A key in these would lead elsewhere or break HTTP. */
const authHeader = textLike(
  /^(?!(?:host|connection|content-\w+|transfer-encoding)(?: |$))[A-Za-z][\w-]{0,63}(?: [A-Za-z][\w.-]{0,63})?$/i,
  'must be a header like "X-Api-Key", or one with a scheme like "Authorization Bearer"',
);

export function authHeaderWith(apiKey: string, { authHeader: chosen }: Pick<WireNames, 'authHeader'>) {
  const [header = '', scheme] = chosen.split(' ');
  return { name: header.toLowerCase(), value: scheme === undefined ? apiKey : `${scheme} ${apiKey}` };
}

const searchToken = textLike(
  /^[\w.:#=-]{0,64}$/,
  'must be letters, digits and "_", "-", ".", ":", "#" or "=", 64 at most',
);

/** Fields of a visitor in an answer, by their default names. */
const VISITOR_FIELDS =
  `added_at browser_name call_name device_name device_type email history identities integration
  ip_address is_in_session is_online is_supported is_waiting_for_call last_seen_at last_url location_city location_country
  location_country_name lookup_code nickname sessions tags unique_id watch_link`.split(/\s+/);

type VisitorName = `visitor${string}`;
const visitorNameOf = (field: string): VisitorName =>
  `visitor${field.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}`;

/** By the name that's overridden, the field of a visitor that it stands for. */
export const visitorNames: ReadonlyMap<VisitorName, string> = new Map(
  VISITOR_FIELDS.map((field) => [visitorNameOf(field), field]),
);

/** What each means: docs/configuration.md, in the same order. */
const usualNames = {
  versionPrefix: pathPrefix.default('/v1.3'),
  authHeader: authHeader.default('X-Api-Key'),
  errorCode: name('error'),
  listSearch: name('search'),
  listLimit: name('max_results'),
  searchOnline: searchToken.default('online'),
  searchOffline: searchToken.default('-online'),
  visitorHistoryQuery: name('with_history'),
  onPremiseSearch: name('q'),
  bodyInitialNotes: name('initial_notes'),
  bodyViewer: name('viewer'),
  viewerId: name('id'),
  viewerName: name('name'),
  brandingRetryUrl: name('retry_url'),
  brandingOnEndUrl: name('on_end_url'),
  permissionRedirect: name('allow_agent_redirect'),
  permissionAudio: name('allow_audio'),
  permissionClick: name('allow_click'),
  permissionConsole: name('allow_console'),
  permissionDraw: name('allow_draw'),
  permissionScroll: name('allow_scroll'),
  permissionType: name('allow_type'),
  permissionVideoAudio: fieldName.optional(),
  sessionLinkId: name('metadata.slack_link'),
};

const ofVisitors: Readonly<Record<VisitorName, ReturnType<typeof name>>> = Object.fromEntries(
  Array.from(visitorNames, ([key, field]) => [key, name(field)]),
);
const WireNamesSchema = z.strictObject({ ...usualNames, ...ofVisitors });

export type WireNames = Readonly<z.output<typeof WireNamesSchema> & Record<VisitorName, string>>;

export const defaultWireNames: WireNames = WireNamesSchema.parse({});

/** Of a value in the body of a watch link. It begins with the object that it's in, unless it's a path. */
type BodyName = Extract<
  keyof WireNames,
  'bodyInitialNotes' | `${'viewer' | 'branding' | 'permission'}${string}`
>;

const isBodyName = (key: string): key is BodyName =>
  key === 'bodyInitialNotes' || /^(?:viewer|branding|permission)[A-Z]/.test(key);

/** The path of a value in the body of a watch link; empty if it's left out. */
function bodyPath(key: BodyName, names: WireNames): string {
  const theirs = names[key] ?? '';
  if (theirs === '' || theirs.includes('.') || key === 'bodyInitialNotes') return theirs;
  if (key.startsWith('branding')) return `branding.${theirs}`;
  if (key.startsWith('permission')) return `permissions.${theirs}`;
  return names.bodyViewer === '' ? '' : `${names.bodyViewer}.${theirs}`;
}

export type BodyValues = Readonly<Partial<Record<BodyName, unknown>>>;

/** A body with these values where their names put them. @throws CobrowseError not-offered */
export function withBodyValues(body: object, values: BodyValues, names: WireNames): object {
  let whole: Readonly<Record<string, unknown>> = { ...body };
  for (const key of Object.keys(values).filter(isBodyName)) {
    const [path, value] = [bodyPath(key, names), values[key]];
    // What is forbidden must be sent, or the agent could do it. Video audio can't be granted without a name, either.
    const mustBeSent = key === 'permissionVideoAudio' ? value !== undefined : value === false;
    if (path === '' && mustBeSent) throw new CobrowseError('not-offered', `The wire name ${key} is not set.`);
    whole = withValueAt(whole, pathOf(path), value);
  }
  return whole;
}

/** @param json from our names to the service's @returns all names, or a complaint that has every bad one, and never its value */
export function parseWireNames(json = '{}') {
  const { data: names, error } = jsonOf(WireNamesSchema).safeParse(json);
  if (names !== undefined) return { ok: true, names } as const;
  return { ok: false, complaint: error.issues.map(describeIssue).join('; ') } as const;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown name ${issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')}`;
  }
  const key = issue.path.join('.');
  return key === '' ? 'must be one JSON object of names' : `${key} ${issue.message}`;
}
