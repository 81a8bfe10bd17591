import type { SessionEvents } from '../../src/sessions/session-events.ts';

const nothing = async () => ({ statements: [], accepted: () => undefined });

/** Where no workspace has an address for webhooks. */
export const nobodyTold: SessionEvents = { opened: nothing, ended: nothing, outcomeChanged: nothing };
