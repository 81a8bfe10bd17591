/** What a press of "I'm on it" led to. */
export type OnItOutcome =
  | { readonly is: 'taken'; readonly until: Date }
  | { readonly is: 'released' }
  /** Somebody else was first: a Slack user id. */
  | { readonly is: 'held'; readonly by: string; readonly until: Date };

/** What came of asking for a message when a visitor comes online. */
export type OnlineRequestOutcome =
  | { readonly is: 'set' | 'already'; readonly until: Date }
  /** The workspace already waits for as many visitors as we can look up. */
  | { readonly is: 'full'; readonly most: number };
