/** How this app learns that a session ended: the service tells, it is asked from time to time, or neither can be. */
export type EndSource = 'webhook' | 'lookup' | 'never';

/** How the session of a link ended. */
export interface LinkEnd {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly lengthSeconds?: number;
}

/**
 * What is said of a link for which no end was told or found: `unused` where the service lists no session for it,
 * `unknown` where that cannot be said. An end that comes after all takes its place.
 */
export interface Conclusion {
  readonly concluded: 'unused' | 'unknown';
  readonly at: number;
}

/** What became of a link. One without any is still open. */
export type LinkResult = LinkEnd | Conclusion;
