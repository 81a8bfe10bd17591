/**
 * Every subcommand, for what is tested of all of them: how it's typed, the right it needs as its refusal names it in the
 * audit (none: anyone may), and whether a member's command asks the co-browsing service.
 */
export const TYPED = [
  { text: 'find jane@acme.com', right: 'search', asksService: true },
  { text: 'watch jane4821', right: 'watch', asksService: true },
  { text: 'visitor jane4821', right: 'search', asksService: true },
  { text: 'agent alex@acme.com', right: 'agent', asksService: true },
  { text: 'stop jane4821', right: 'stop', asksService: true },
  { text: 'sessions', right: 'sessions', asksService: false },
  { text: 'followups', right: 'follow-ups', asksService: false },
  { text: 'usage', right: 'usage', asksService: true },
  { text: 'proxy https://shop.acme.example', right: 'watch', asksService: false },
  { text: 'delete janepark', right: 'delete', asksService: false },
  { text: 'audit', right: 'audit', asksService: false },
  { text: 'subscribe', right: 'subscribe', asksService: false },
  { text: 'digest off', right: 'subscribe', asksService: false },
  { text: 'unsubscribe', right: 'subscribe', asksService: false },
  { text: 'subscriptions', right: 'subscriptions', asksService: false },
  { text: 'doctor', right: 'doctor', asksService: false },
  { text: 'help', right: undefined, asksService: false },
] as const;
