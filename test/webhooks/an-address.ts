import type { WebhookAddress } from '../../src/webhooks/addresses.ts';

/** One that gets each session's end, as it's known. */
export const anAddress: WebhookAddress = {
  workspaceId: 'T0ACME00000',
  id: 'w00000000000000a',
  host: 'hooks.example.com',
  events: ['session.ended'],
  filters: { agents: [], groups: [], tags: [] },
  hasNames: false,
  addedBy: 'U0ADA',
  addedAt: 0,
  failingSince: undefined,
  workedAt: 1,
  heldUntil: undefined,
  offAt: undefined,
  version: 1,
};
