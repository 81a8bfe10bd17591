import type { Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';

/** A person or channel that a card names as asked. */
export interface Asked {
  readonly askedId: string;
  /** Who took it in a channel. */
  readonly takenBy: string | undefined;
  /** Whether they, or whoever took it, have opened a link since. */
  readonly hasOpened: boolean;
}

/** Who was asked to look at which visitor's screen, for the cards. All reject with a DatabaseError. */
export interface Asks {
  /** Those on a card; undefined where it's no longer wanted, which is asked in the same read. */
  onCard(workspaceId: string, cardId: string, isWanted?: Sql): Promise<readonly Asked[] | undefined>;
  /** Statements that make asker's card and post say that this link's agent, who was asked, has opened one. */
  openedStatements(link: IssuedLink): Promise<readonly Sql[]>;
}
