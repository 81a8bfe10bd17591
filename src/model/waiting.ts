/** What became of a press of "I'm on it". */
export type OnItOutcome =
  | { readonly is: 'taken'; readonly until: Date }
  | { readonly is: 'released' }
  /** Somebody else was first: a user, by Slack's id. */
  | { readonly is: 'held'; readonly by: string; readonly until: Date };

/** What became of asking to be told when a visitor comes online. */
export type OnlineRequestOutcome =
  | { readonly is: 'set' | 'already'; readonly until: Date }
  /** The workspace waits for as many visitors as are looked up. */
  | { readonly is: 'full'; readonly most: number };
