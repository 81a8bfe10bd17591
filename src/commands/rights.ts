import { ACTS, canLook, asking, type Act, type Refusal } from '../permissions/permissions.ts';
import type { App } from '../parts.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { NewEntry } from '../audit/audit.ts';
import { whereAsked, type Who as Asker } from '../audit/recording.ts';
import type { Message } from '../messages/message.ts';
import { refused } from '../messages/failure-words.ts';

/** Ids are Slack's. */
export interface Viewer {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Who asks, and where the answer belongs. */
export interface Caller extends Viewer {
  readonly workspace: Workspace;
  /** Absent where there is none, as in the Home tab. */
  readonly channelId?: string;
  /** Where it was asked, if `channelId` was chosen for what follows; empty if in no channel. */
  readonly askedIn?: string;
  /** The `ts` of the message that what follows is threaded under. */
  readonly threadTs?: string;
  /** The `ts` of the message whose button was pressed, also once a form that it opened is sent. */
  readonly messageTs?: string;
  /** Address of the message that the session's notes start with. */
  readonly notes?: string;
  /** From `ticketIn`. */
  readonly ticketUrl?: string;
  readonly isAsked?: true;
  /** Set where somebody sees customers and can't watch them, if that was found out. */
  readonly mayNotWatch?: Refusal;
}

export interface SignedPress {
  /** The same if the same press is sent again; no other press has it. */
  readonly id: string;
  /** By Slack's clock, in whole milliseconds since 1970. */
  readonly pressedAt: number;
}

export interface Presser extends Caller {
  readonly press: SignedPress;
  /** Rejects if the answer's modal doesn't open. */
  readonly opened?: Promise<unknown>;
}

export interface AdminsOnly {
  readonly admins: string;
  readonly detail?: NewEntry['detail'];
  readonly refused: () => Message;
}

/** By their names in the audit. Other members of the workspace may look, but get no Watch button. */
const LOOKING = {
  look: 'search',
  'look-to-watch': 'watch',
  'look-up-agent': 'agent',
  'list-sessions': 'sessions',
  'list-follow-ups': 'follow-ups',
} as const;
const isLooking = (right: Right): right is keyof typeof LOOKING =>
  typeof right === 'string' && Object.hasOwn(LOOKING, right);

export type Right =
  | Act
  | keyof typeof LOOKING
  | AdminsOnly
  /** For the people of a channel, or of a session: asked where that is known. */
  | 'subscribe'
  | 'subscriptions'
  | 'outcome'
  | 'note'
  /** As `watch`, and asked with the link itself, which records the refusal: see `watch/link-requests.ts`. */
  | 'link'
  /** Says nothing of customers, and guests get it, too. */
  | 'everybody';

export interface Needing<About, Who, Done> {
  readonly right: Right | ((about: About) => Right);
  readonly run: (about: About, who: Who) => Promise<Done>;
}

/**
 * Does it if they have the right now: seeing a button isn't a permission. Otherwise explains who has it. A refusal is on record,
 * also where the right couldn't be checked: it then rejects with a RightUnknownError.
 */
export type IfAllowed = <About, Who extends Caller, Done>(
  asked: Needing<About, Who, Done>,
  about: About,
  who: Who,
) => Promise<Done | Message>;

/** Thrown midway: these words are the answer, and nothing more is done. */
export class Answered extends Error {
  override readonly name = 'Answered';
  readonly answer: Message;
  constructor(answer: Message) {
    super(answer.text);
    this.answer = answer;
  }
}

export function createRights({ mayAct, isAdmin, record }: Pick<App, 'mayAct' | 'isAdmin' | 'record'>) {
  /** @param act what was refused, in our words, like `why` */
  const recordRefusal = (act: string, why: string, who: Asker, detail: NewEntry['detail'] = {}) =>
    record({ ...whereAsked(who), action: 'refusal', outcome: why, detail: { act, ...detail } });
  const ifAllowed: IfAllowed = async ({ right: needed, run: work }, about, who) => {
    const run = (...asked: Parameters<typeof work>) =>
      work(...asked).catch((error: unknown) => {
        if (error instanceof Answered) return error.answer;
        throw error;
      });
    const right = typeof needed === 'function' ? needed(about) : needed;
    const [name, detail] =
      typeof right === 'object' ? [right.admins, right.detail] : [isLooking(right) ? LOOKING[right] : right];
    const refuse = (why: string) => recordRefusal(name, why, who, detail);
    return asking(async () => {
      if (typeof right === 'object') {
        if (await isAdmin(who)) return run(about, who);
        await refuse('not-admin');
        return right.refused();
      }
      const act = isLooking(right) ? 'watch' : ACTS.find((one) => one === right);
      if (act === undefined) return run(about, who);
      const verdict = await mayAct(act, who);
      if (verdict.allowed) return run(about, who);
      const { why } = verdict;
      if (isLooking(right) && canLook(verdict)) return run(about, { ...who, mayNotWatch: why });
      await refuse(why);
      return refused(act, why);
    }, refuse);
  };
  return { ifAllowed, recordRefusal };
}
