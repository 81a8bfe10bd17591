import type { Refusal } from '../permissions/acts.ts';
import type { Workspace } from '../workspaces/workspaces.ts';

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
