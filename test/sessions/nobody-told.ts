import type { SessionEvents } from '../../src/sessions/subscribers.ts';

const nothing = async () => ({ statements: [], accepted: () => undefined });

/** Where no workspace has an address for webhooks. */
export const nobodyTold: SessionEvents = { opened: nothing, ended: nothing, outcomeChanged: nothing };
