import { z } from 'zod';
import { CobrowseError } from './errors.ts';

/** The path of a wire name: `branding.retry_url` is `retry_url` in `branding`. Empty for no name. */
export const pathOf = (wireName: string): readonly string[] =>
  wireName.split('.').filter((key) => key !== '');

/** The value at a path of an object; undefined if there is none, or no path. */
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
const name = (usual: string, meaning: string) => fieldName.default(usual).describe(meaning);

const pathPrefix = textLike(/^(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/, 'must be a path like "/v1.3"');

/** Source: RFC 9110, tokens, limited to characters that real ones use. */
const authHeader = textLike(
  /^[A-Za-z][\w-]{0,63}( [A-Za-z][\w.-]{0,63})?$/,
  'must be a header like "X-Api-Key", or one with a scheme like "Authorization Bearer"',
);
const takenHeaderRule = 'must be a header of its own, which HTTP or the app does not use for something else';
const takenHeaders: ReadonlySet<string> = new Set(
  `accept accept-encoding connection content-encoding content-length content-type cookie date expect host keep-alive
    proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent`.split(/\s+/),
);

const headerNameOf = (value: string) => value.split(' ')[0]?.toLowerCase() ?? '';

export function authHeaderWith(apiKey: string, { authHeader: chosen }: Pick<WireNames, 'authHeader'>) {
  const [, scheme] = chosen.split(' ');
  return { name: headerNameOf(chosen), value: scheme === undefined ? apiKey : `${scheme} ${apiKey}` };
}

const searchToken = textLike(
  /^[\w.:#=-]{0,64}$/,
  'must be letters, digits and "_", "-", ".", ":", "#" or "=", 64 at most',
);

/** Fields of a visitor in an answer: `schemas.ts` gives them their default names. */
export const visitorNames = {
  visitorAddedAt: name('added_at', 'visitor: first seen'),
  visitorBrowserName: name('browser_name', 'visitor: browser'),
  visitorCallName: name('call_name', 'visitor: name of the call'),
  visitorDeviceName: name('device_name', 'visitor: device'),
  visitorDeviceType: name('device_type', 'visitor: desktop, mobile, tablet and so on'),
  visitorEmail: name('email', 'visitor: email'),
  visitorHistory: name('history', 'visitor: pageviews, where asked for'),
  visitorIdentities: name('identities', 'visitor: list of names'),
  visitorIntegration: name('integration', 'visitor: system the visitor came from'),
  visitorIpAddress: name('ip_address', 'visitor: network address'),
  visitorIsInSession: name('is_in_session', 'visitor: whether a session is ongoing'),
  visitorIsOnline: name('is_online', 'visitor: whether online'),
  visitorIsSupported: name('is_supported', 'visitor: whether the browser can be watched'),
  visitorIsWaitingForCall: name('is_waiting_for_call', 'visitor: whether waiting for a call'),
  visitorLastSeenAt: name('last_seen_at', 'visitor: last seen'),
  visitorLastUrl: name('last_url', 'visitor: address of the page'),
  visitorLocationCity: name('location_city', 'visitor: city'),
  visitorLocationCountry: name('location_country', 'visitor: country code'),
  visitorLocationCountryName: name('location_country_name', 'visitor: country'),
  visitorLookupCode: name('lookup_code', 'visitor: four digits to read out'),
  visitorNickname: name('nickname', 'visitor: nickname'),
  visitorSessions: name('sessions', 'visitor: list of sessions'),
  visitorTags: name('tags', 'visitor: list of tags'),
  visitorUniqueId: name('unique_id', 'visitor: the id searched for with id:'),
  visitorWatchLink: name('watch_link', 'visitor: permanent link into the dashboard'),
};

const WireNamesSchema = z.strictObject({
  versionPrefix: pathPrefix.default('/v1.3').describe('path of the cloud API below its base address'),
  authHeader: authHeader
    .refine((value) => !takenHeaders.has(headerNameOf(value)), takenHeaderRule)
    .default('X-Api-Key')
    .describe('header that carries the API key; after a space, the scheme before the key'),
  errorCode: name('error', "field of a 401's body that says why the key is refused"),
  listSearch: name('search', 'query of GET /list: the search text'),
  listLimit: name('max_results', 'query of GET /list: how many visitors at most'),
  searchOnline: searchToken.default('online').describe('search text of GET /list: visitors who are online'),
  searchOffline: searchToken
    .default('-online')
    .describe('search text of GET /list: visitors who are offline'),
  visitorHistoryQuery: name('with_history', 'query of GET /visitors/{visitor_id}: include pageviews'),
  onPremiseSearch: name('q', 'query of the on-premise GET /visitors/list/search: the search text'),
  bodyInitialNotes: name('initial_notes', 'watch link: text the agent notes start with'),
  bodyViewer: name('viewer', 'watch link: object that names a viewer who is not the agent'),
  viewerId: name('id', 'watch link, viewer: id'),
  viewerName: name('name', 'watch link, viewer: name'),
  brandingRetryUrl: name('retry_url', 'watch link, branding: address of the Retry now link for the visitor'),
  brandingOnEndUrl: name('on_end_url', 'watch link, branding: where the agent is sent after the session'),
  permissionRedirect: name('allow_agent_redirect', 'watch link, permissions: redirect and reload'),
  permissionAudio: name('allow_audio', 'watch link, permissions: audio'),
  permissionClick: name('allow_click', 'watch link, permissions: click'),
  permissionConsole: name('allow_console', 'watch link, permissions: console'),
  permissionDraw: name('allow_draw', 'watch link, permissions: drawing'),
  permissionScroll: name('allow_scroll', 'watch link, permissions: scroll'),
  permissionType: name('allow_type', 'watch link, permissions: type'),
  permissionVideoAudio: fieldName
    .optional()
    .describe(
      'watch link, permissions: video audio heard by the agent; no name is known, so not sent unless set',
    ),
  sessionLinkId: name(
    'metadata.slack_link',
    'session: the link’s id, which was sent as slack_link in metadata',
  ),
  ...visitorNames,
});

export type WireNames = Readonly<z.output<typeof WireNamesSchema>>;

export const defaultWireNames: WireNames = WireNamesSchema.parse({});

/** Every open name with its default and meaning, in the order of the table above. */
export const wireNameTable: Readonly<Record<string, { default: string | undefined; meaning: string }>> =
  Object.fromEntries(
    Object.entries(WireNamesSchema.shape).map(([key, schema]) => [
      key,
      { default: schema.parse(undefined), meaning: schema.description ?? '' },
    ]),
  );

/** An open name of a value in the body of a watch link: it begins with the object that it's in, unless it's a path. */
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
    // What is forbidden must be sent, or the agent could do it.
    // Video audio has no default name, so it can't be granted without one.
    const mustBeSent = key === 'permissionVideoAudio' ? value !== undefined : value === false;
    if (path === '' && mustBeSent) throw new CobrowseError('not-offered', `The wire name ${key} is not set.`);
    whole = withValueAt(whole, pathOf(path), value);
  }
  return whole;
}

const DOCUMENTED = ['agent.id', 'agent.name', 'branding.naked', 'metadata', 'webhook_url', 'licenseToken'];

/** Whether two paths can't both have a value. Metadata is the document's object for anything else. */
function excludes(documented: string, path: string): boolean {
  const [one, other] = [pathOf(documented).join('.'), pathOf(path).join('.')];
  return one === other || one.startsWith(`${other}.`) || (one !== 'metadata' && other.startsWith(`${one}.`));
}

/**
 * @param json an object from our names to the service's, for example `{"listSearch":"query"}`
 * @returns all names, or one complaint that lists every bad override by its name, never by its value
 */
export function parseWireNames(
  json: string | undefined,
): { readonly ok: true; readonly names: WireNames } | { readonly ok: false; readonly complaint: string } {
  if (json === undefined) return { ok: true, names: defaultWireNames };
  const read = WireNamesSchema.safeParse(parseJson(json));
  const complaints = read.success ? clashes(read.data) : read.error.issues.map(describeIssue);
  return read.success && complaints.length === 0
    ? { ok: true, names: read.data }
    : { ok: false, complaint: complaints.join('; ') };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown name ${issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')}`;
  }
  const key = issue.path.join('.');
  return key === '' ? 'must be one JSON object of names' : `${key} ${issue.message}`;
}

/** Names that lead to the same place, so that one of the values would be lost. */
function clashes(names: WireNames): string[] {
  const taken = [...DOCUMENTED];
  const inBody = Object.keys(names)
    .filter(isBodyName)
    .filter((key) => {
      const path = bodyPath(key, names);
      const isTaken = path !== '' && taken.some((other) => excludes(other, path));
      if (path !== '') taken.push(path);
      return isTaken;
    });
  const isOneQuery = names.listLimit !== '' && names.listLimit === names.listSearch;
  return [...inBody, ...(isOneQuery ? ['listLimit'] : [])].map(
    (key) => `${key} is a name that is already used beside it`,
  );
}
