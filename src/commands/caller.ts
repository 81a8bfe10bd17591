import type { SignedPress } from '../messages/link-press.ts';

/** Who asks, and where the answer belongs. Ids are Slack's. */
export interface Caller {
  readonly workspaceId: string;
  readonly userId: string;
  /** Absent if there is no channel, as in the Home tab. */
  readonly channelId?: string;
  /** The message that started it, by `ts`: what follows threads under it. */
  readonly threadTs?: string;
  /** Address of the message that the session's notes start with. */
  readonly notes?: string;
}

/** Who asks by pressing a button. */
export interface Presser extends Caller {
  readonly press: SignedPress;
  /** The modal opening for the answer, if one is needed; rejects if it doesn't open. */
  readonly opened?: Promise<unknown> | undefined;
}

/** Who opened the Home tab. Ids are Slack's. */
export interface Viewer {
  readonly workspaceId: string;
  readonly userId: string;
}
