/** What a Slack profile says. */
export interface Profile {
  readonly name: string | undefined;
  /** Undefined where the profile shows none. */
  readonly email: string | undefined;
  /** Whether the user is an admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Whether the user is of another organisation: in shared channels they may press buttons. */
  readonly isExternal: boolean;
  /** Whether the user is a guest, of one channel or of several. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** Of the user's time zone, seconds east of UTC. */
  readonly utcOffsetSeconds: number;
  /** IANA's name of it; undefined where Slack does not say. */
  readonly timeZone?: string | undefined;
  /** As BCP 47 writes it, such as "en-GB"; undefined where Slack doesn't say. */
  readonly locale?: string | undefined;
}
