import { RightUnknownError } from '../permissions/acts.ts';
import type { CheckRule } from '../permissions/permissions.ts';
import { lacking } from './press-refusals.ts';
import type { PressRefusal } from './press-refusals.ts';
import type { Audit } from '../audit/audit.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import type { OrderFacts, ReadFacts } from './order-facts.ts';

/** Where Slack takes this long to answer, an admin may allow less meanwhile, or somebody else be given a link. */
const LONG_MS = 2_000;

interface AuthorizerParts {
  readonly readFacts: ReadFacts;
  readonly checkRule: CheckRule;
  readonly audit: Pick<Audit, 'record'>;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
  /** Called where Slack couldn't be asked. */
  readonly report: (error: unknown) => void;
}

/** Whether somebody may have the link they ask for, and what that was judged by, for whatever comes of it. */
export type Judged =
  | { readonly refused: undefined; readonly facts: OrderFacts }
  /** A refusal may need no facts. */
  | { readonly refused: PressRefusal; readonly facts?: OrderFacts };

/** Whether somebody may have a link now. A refusal is on record when the promise resolves. */
export interface Authorizer {
  /**
   * By what the tables say now, and Slack at most five seconds ago; without an answer from Slack they may not. Rejects with
   * a DatabaseError.
   *
   * @param ticket of the address that was opened, where one was
   */
  watch(order: LinkRequest, ticket?: string): Promise<Judged>;
  /** Records a refusal that needs no question to Slack. */
  refuse(order: LinkRequest, why: PressRefusal): Promise<Judged>;
}

export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  const { readFacts, checkRule, audit, elapsed, report } = parts;

  async function refuse(order: LinkRequest, refused: PressRefusal): Promise<Judged> {
    const { workspaceId, userId, channelId } = order;
    await audit.record({
      workspaceId,
      userId,
      action: 'refusal',
      outcome: refused,
      ...(channelId === undefined ? {} : { channelId }),
      ...('visitorId' in order ? { visitorId: order.visitorId } : {}),
      detail: { act: 'watch' },
    });
    return { refused };
  }

  async function reasonAgainst(
    { workspaceId, userId }: LinkRequest,
    { rule, channelId }: OrderFacts,
  ): Promise<PressRefusal | undefined> {
    try {
      const verdict = await checkRule(rule, { workspaceId, userId, channelId });
      return verdict.allowed ? undefined : verdict.why;
    } catch (error) {
      if (!(error instanceof RightUnknownError)) throw error;
      report(error);
      return lacking(error.missingScope);
    }
  }

  return {
    refuse,
    async watch(order, ticket) {
      async function judge() {
        const facts = await readFacts(order, ticket);
        return { facts, why: await reasonAgainst(order, facts) };
      }
      const startedAt = elapsed();
      const first = await judge();
      const isOld = first.why === undefined && elapsed() - startedAt >= LONG_MS;
      const { facts, why } = isOld ? await judge() : first;
      return why === undefined ? { refused: why, facts } : { ...(await refuse(order, why)), facts };
    },
  };
}
