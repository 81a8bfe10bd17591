import { isoTime } from './time.ts';

/** One page a visitor looked at. */
interface PageView {
  readonly url: string;
  readonly viewed_at: string;
}

/** The fields of a visitor that never change, by their names on the wire. */
interface VisitorFields {
  readonly short_id: string;
  readonly api_key: string | null;
  readonly browser_name: string | null;
  readonly call_name: string | null;
  readonly device_name: string | null;
  readonly device_type: string | null;
  readonly email: string | null;
  readonly identities: readonly string[] | null;
  /** The other system that the visitor comes from. */
  readonly integration: string | null;
  readonly ip_address: string | null;
  readonly is_supported: boolean;
  readonly is_waiting_for_call: boolean;
  readonly js_configuration: boolean | null;
  readonly location_city: string | null;
  readonly location_country: string | null;
  readonly location_country_name: string | null;
  readonly lookup_code: string | null;
  readonly nickname: string | null;
  readonly tags: readonly string[];
  readonly unique_id: string | null;
}

/** A new visitor: fields by their wire names, times as ages. Only `short_id` is required. */
export interface SeedVisitor extends Partial<VisitorFields> {
  readonly short_id: string;
  /** Default false. */
  readonly is_online?: boolean;
  readonly last_url?: string | null;
  readonly lastSeenMinutesAgo?: number;
  readonly addedDaysAgo?: number;
  /** The visitor's id in the other system, found only by searching. */
  readonly integrationId?: string;
  /** Neither goes offline nor opens another page by itself. */
  readonly stays?: boolean;
  /** Came through a real page. */
  readonly isReal?: boolean;
}

/** A visitor as the stand-in stores it. */
export interface Visitor {
  readonly fields: VisitorFields;
  readonly integrationId: string | null;
  readonly addedAt: Date;
  readonly stays: boolean;
  /** Came through a real page; the others are invented, and so is their presence. */
  readonly isReal: boolean;
  /** Whether one of their pages is connected. */
  readonly hasPage: boolean;
  /** Invented: they're online without a page of theirs. */
  readonly isThere: boolean;
  /** One of the two. */
  readonly isOnline: boolean;
  readonly lastSeenAt: Date;
  readonly lastUrl: string | null;
  readonly history: readonly PageView[];
}

const unknownFields = {
  api_key: 'acmePublicSdkKey',
  browser_name: null,
  call_name: null,
  device_name: null,
  device_type: null,
  email: null,
  identities: null,
  integration: null,
  ip_address: null,
  is_supported: true,
  is_waiting_for_call: false,
  js_configuration: null,
  location_city: null,
  location_country: null,
  location_country_name: null,
  lookup_code: null,
  nickname: null,
  tags: [],
  unique_id: null,
} as const;

/** A visitor made from its seed, relative to the time `now`. */
export function visitorFromSeed(seed: SeedVisitor, now: Date): Visitor {
  const {
    is_online = false,
    last_url = null,
    lastSeenMinutesAgo,
    addedDaysAgo = 1,
    integrationId = null,
    stays = false,
    isReal = false,
    ...known
  } = seed;
  const minutesAgo = lastSeenMinutesAgo ?? (is_online ? 0 : 60);
  const lastSeenAt = new Date(now.getTime() - minutesAgo * 60_000);
  return {
    fields: { ...unknownFields, ...known },
    integrationId,
    addedAt: new Date(now.getTime() - addedDaysAgo * 86_400_000),
    stays,
    isReal,
    hasPage: false,
    isThere: is_online,
    isOnline: is_online,
    lastSeenAt,
    lastUrl: last_url,
    history: last_url ? [{ url: last_url, viewed_at: isoTime(lastSeenAt) }] : [],
  };
}

// Control characters and marks that change the reading direction.
const unsafeInNames = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const longestName = 80;

/** A name to show on a page: first identity, email or id, without control characters, at most 80 characters. */
export function displayName({ fields: { identities, email, short_id } }: Visitor): string {
  return shownName(identities?.[0] ?? email ?? `Visitor ${short_id}`);
}

/** What to call a visitor in a sentence: their nickname if they have one. */
export function callName(visitor: Visitor): string {
  return shownName(visitor.fields.nickname ?? displayName(visitor));
}

function shownName(full: string): string {
  const letters = Array.from(full.replaceAll(unsafeInNames, ''));
  return letters.length > longestName ? `${letters.slice(0, longestName - 1).join('')}…` : letters.join('');
}
