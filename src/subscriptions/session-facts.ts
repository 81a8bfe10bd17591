/** What a digest counts of a session. Nothing of its visitor. */
export interface SessionFact {
  /** Who pressed Watch. */
  readonly userId: string;
  /** Left out where it is not known. */
  readonly seconds?: number;
  readonly features: readonly string[];
  /**
   * When its end became known here, milliseconds since 1970. Digests go by it: an end may be found out when the digest
   * of its day has long been sent, and the service's clock may be another.
   */
  readonly learnedAt: number;
}

/** The sessions that ended, as numbers. */
export interface SessionFacts {
  /** Those whose end became known from `from` on and before `to`. */
  between(workspaceId: string, from: number, to: number): Promise<readonly SessionFact[]>;
}
