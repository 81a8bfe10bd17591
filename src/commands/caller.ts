import type { SignedPress } from '../links/link-press.ts';

/** Who asks, and where the answer belongs. Ids are Slack's. */
export interface Caller {
  readonly workspaceId: string;
  readonly userId: string;
  /** Absent where there is no channel, as in the App Home. */
  readonly channelId?: string;
  /** The message that started it, by `ts`: what follows threads under it. */
  readonly threadTs?: string;
  /** Address of a message that a session's notes are to begin with. */
  readonly notes?: string;
}

/** Who asks by pressing a button. */
export interface Presser extends Caller {
  readonly press: SignedPress;
  /** The modal that is to hold the answer, where one has to open for it: rejects where none does. */
  readonly opened?: Promise<unknown> | undefined;
}
