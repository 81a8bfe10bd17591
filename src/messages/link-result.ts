/** How this app learns that a session ended: from the service's webhook, by asking from time to time, or not at all. */
export type EndSource = 'webhook' | 'lookup' | 'never';

/** How the session of a link ended. */
export interface LinkEnd {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly lengthSeconds?: number;
  /** Whether the customer accepted; undefined where the service didn't say. */
  readonly accepted?: boolean;
}

/**
 * What is concluded about a link whose end is unknown: `unused` where the service lists no session for it,
 * `unknown` where that cannot be said. An end that comes after all takes its place.
 */
export interface Conclusion {
  readonly concluded: 'unused' | 'unknown';
  readonly at: number;
}

/** What became of a link. One without any is still open. */
export type LinkResult = LinkEnd | Conclusion;
