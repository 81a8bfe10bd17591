import { createLedger } from '../../src/session-end/ledger.ts';
import type { PostOutcome } from '../../src/session-end/post.ts';
import { ALEX } from '../support/person.ts';
import { openCourierStage } from './courier-stage.ts';
import { alexInSupport } from './ended-session.ts';

export const T1 = alexInSupport.workspaceId;
export const ADA = 'U0ADA000005';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const took: PostOutcome = { outcome: 'posted', ts: '1.2' };
export const archived: PostOutcome = { outcome: 'never', reason: 'is_archived' };
export const down: PostOutcome = { outcome: 'later', reason: 'service_unavailable' };
/** As ids are: the workspace's, then the session's. */
export const idOf = (name: string) => `${T1}:${name}`;

type Stage = Awaited<ReturnType<typeof openCourierStage>>;
type Courier = ReturnType<Stage['courierThat']>;

export function ledgerOver({ outbox, records }: Stage, courier: Courier) {
  return createLedger({
    outbox,
    records,
    setOut: (id, delivery) => courier.hurry(id, delivery),
    isUnderWay: (id) => courier.isUnderWay(id),
    now: Date.now,
  });
}

/** A courier whose channel refuses until `isOpen`, and the ledger over it. */
export async function openLedgerStage(refusal: PostOutcome, change?: Parameters<typeof openCourierStage>[0]) {
  const stage = await openCourierStage(change);
  const channel = { isOpen: false };
  const courier = stage.courierThat(({ to }) => (channel.isOpen || to === ALEX ? took : refusal));
  const ledger = ledgerOver(stage, courier);
  const postsOf = (id: string) => stage.asked.filter((asked) => asked.id === id).length;
  return { ...stage, courier, ledger, channel, postsOf };
}
