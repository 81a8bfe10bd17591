import { CobrowseError } from './errors.ts';
import type { CobrowseErrorDetails, CobrowseErrorKind } from './errors.ts';
import type { StatusMeanings } from './failures.ts';

/** One request, as the service document writes it. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path in the document's words. Errors name it, and so neither an id nor a search text. */
  readonly endpoint: string;
  /** What stands in for `{visitor_id}`. */
  readonly visitorId?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  readonly meanings?: StatusMeanings;
  /** What the code of a 403 may say beside that the key is refused. */
  readonly meaningOfCode?: (code: string) => CobrowseErrorKind | undefined;
  /** Whether the answer is a list of the account's visitors. */
  readonly isList?: true;
  /** In place of the usual time limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Not repeated, even where it could be. */
  readonly once?: boolean;
  /** What the body carries and no error may show. */
  readonly secrets?: readonly string[];
}

/**
 * Whether the id can be one segment of a path. An empty one or dots would make it another endpoint's path, and so would
 * a slash, escaped as it is sent, before a server that decodes paths first.
 */
export function isUsableId(visitorId: string): boolean {
  return visitorId.isWellFormed() && !['', '.', '..'].includes(visitorId) && !/[/\\\p{Cc}]/u.test(visitorId);
}

/** The path and query to ask for, below the API's prefix. */
export function pathOf({ endpoint, visitorId = '', query = {} }: ServiceCall): string {
  const path = endpoint.replace('{visitor_id}', () => encodeURIComponent(visitorId));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** An error that names the call it happened in. */
export function failureOf(
  call: ServiceCall,
  kind: CobrowseErrorKind,
  details: CobrowseErrorDetails & { readonly what: string },
): CobrowseError {
  const secrets = [...(details.secrets ?? []), ...(call.secrets ?? [])];
  return new CobrowseError(kind, `${call.method} ${call.endpoint}: ${details.what}`, { ...details, secrets });
}
