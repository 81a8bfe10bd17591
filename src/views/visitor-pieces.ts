import type { Visitor } from '../cobrowse/schemas.ts';
import { bold, date } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { short } from './text.ts';

/** How a visitor is called: its first identity, else its email, else its id. */
export function visitorName(visitor: Visitor): string {
  const candidates = [visitor.identities[0], visitor.nickname, visitor.email];
  const name = candidates.map((candidate) => short(candidate ?? '')).find((candidate) => candidate !== '');
  return name ?? `Visitor ${short(visitor.short_id, 40)}`;
}

/** Name, and email where that is not the name. */
export function whoLine(visitor: Visitor): Line {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '');
  return email === '' || email === name ? [bold(name)] : [bold(name), '  ', email];
}

/** The path of the page the visitor is on: never its query string or fragment, which may hold secrets. */
export function pagePath(visitor: Visitor): string | undefined {
  return pathOf(visitor.last_url ?? '');
}

/** The path of a web address and nothing else of it. */
export function pathOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return short(readable(url.pathname), 80);
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

export function placeOf(visitor: Visitor): string | undefined {
  return joined([visitor.location_city, visitor.location_country_name ?? visitor.location_country], ', ');
}

export function deviceOf(visitor: Visitor): string | undefined {
  return joined([visitor.browser_name, visitor.device_name ?? visitor.device_type], ' on ');
}

/** "Online", "Online, in a session" or "Last seen ...". */
export function presence(visitor: Visitor): Line {
  const inSession = visitor.is_in_session === true ? ', in a session' : '';
  if (visitor.is_online === true) return [`Online${inSession}`];
  const lastSeen = new Date(visitor.last_seen_at ?? Number.NaN);
  const known = !Number.isNaN(lastSeen.getTime());
  const seen: Piece[] = known ? ['last seen ', date(lastSeen)] : ['last seen not known'];
  return visitor.is_online === false
    ? ['Offline, ', ...seen, inSession]
    : ['Presence not known, ', ...seen, inSession];
}

function joined(parts: readonly (string | null | undefined)[], separator: string): string | undefined {
  const shown = parts.map((part) => short(part ?? '', 60)).filter((part) => part !== '');
  return shown.length === 0 ? undefined : shown.join(separator);
}
