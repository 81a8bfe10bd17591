import { ACTS, canLook, asking, type Act, type Refusal } from '../permissions/permissions.ts';
import type { App } from '../parts.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { NewEntry } from '../audit/audit.ts';
import { whereAsked, type Who as Asker } from '../audit/recording.ts';
import type { Message } from '../messages/message.ts';
import { refused } from '../messages/failure-words.ts';

/** A person in a workspace. Ids are Slack's. */
export interface Viewer {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Who asks, and where the answer belongs. */
export interface Caller extends Viewer {
  /** The workspace itself, with its account of the service. */
  readonly workspace: Workspace;
  /** Absent if there is no channel, as in the Home tab. */
  readonly channelId?: string;
  /** Where it was asked, if `channelId` was chosen for what follows; empty if in no channel. */
  readonly askedIn?: string;
  /** The message that started it, by `ts`: what follows threads under it. */
  readonly threadTs?: string;
  /** Address of the message that the session's notes start with. */
  readonly notes?: string;
  /** Address of the helpdesk's ticket that the session is about, from `ticketIn`. */
  readonly ticketUrl?: string;
  /** Set where a colleague asked them to look. */
  readonly isAsked?: true;
  /** Why they see customers and can't watch them, where that was found out. */
  readonly mayNotWatch?: Refusal;
}

/** A press as Slack signed it. */
export interface SignedPress {
  /** The same where the same press is sent again, and no other's. */
  readonly id: string;
  /** Slack's own time of it, whole milliseconds since 1970. */
  readonly pressedAt: number;
}

/** Who asks by pressing a button. */
export interface Presser extends Caller {
  readonly press: SignedPress;
  /** The modal opening for the answer, if one is needed; rejects if it doesn't open. */
  readonly opened?: Promise<unknown>;
}

/** What only the workspace's admins can do, with the words for everybody else. */
interface AdminsOnly {
  /** Its name in the audit. */
  readonly admins: string;
  /** What else the audit has of a refusal. */
  readonly detail?: NewEntry['detail'];
  readonly refused: () => Message;
}

/** For those who can watch, and for the workspace's other members, who get no Watch button: each by its name in the audit. */
const LOOKING = {
  look: 'search',
  'look-to-watch': 'watch',
  'look-up-agent': 'agent',
  'list-sessions': 'sessions',
  'list-follow-ups': 'follow-ups',
} as const;
const isLooking = (right: Right): right is keyof typeof LOOKING =>
  typeof right === 'string' && Object.hasOwn(LOOKING, right);

/** What somebody must be allowed before anything happens. */
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
  /** Says nothing of customers. */
  | 'everybody';

/** Something people ask for, with the right it needs, which may depend on what it's about. */
export interface Needing<About, Who, Done> {
  readonly right: Right | ((about: About) => Right);
  readonly run: (about: About, who: Who) => Promise<Done>;
}

/**
 * Does what somebody asks for if they have the right, now: seeing a button isn't a permission. Otherwise explains who has it.
 * A refusal is on record, also where it couldn't be checked, before that rejects with a RightUnknownError.
 */
export type IfAllowed = <About, Who extends Caller, Done>(
  asked: Needing<About, Who, Done>,
  about: About,
  who: Who,
) => Promise<Done | Message>;

/** Writes a refusal into the audit. */
export type RecordRefusal = (
  /** What was refused, in our words, like `why`. */
  act: string,
  why: string,
  who: Asker,
  detail?: NewEntry['detail'],
) => Promise<void>;

/** Thrown in the middle of what somebody asked for: these words are the answer, and nothing more is done. */
export class Answered extends Error {
  override readonly name = 'Answered';
  readonly answer: Message;
  constructor(answer: Message) {
    super(answer.text);
    this.answer = answer;
  }
}

function answerOf(error: unknown): Message {
  if (error instanceof Answered) return error.answer;
  throw error;
}

/** How rights are asked for, and refusals recorded. */
export function createRights({ mayAct, isAdmin, record }: Pick<App, 'mayAct' | 'isAdmin' | 'record'>) {
  const recordRefusal: RecordRefusal = (act, outcome, who, detail = {}) =>
    record({ ...whereAsked(who), action: 'refusal', outcome, detail: { act, ...detail } });
  const ifAllowed: IfAllowed = async ({ right: needed, run: work }, about, who) => {
    const run = (...asked: Parameters<typeof work>) => work(...asked).catch(answerOf);
    const right = typeof needed === 'function' ? needed(about) : needed;
    if (typeof right === 'object') {
      const refuse = (why: string) => recordRefusal(right.admins, why, who, right.detail);
      return asking(async () => {
        if (await isAdmin(who)) return run(about, who);
        await refuse('not-admin');
        return right.refused();
      }, refuse);
    }
    const refuse = (why: string) => recordRefusal(isLooking(right) ? LOOKING[right] : right, why, who);
    return asking(async () => {
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
