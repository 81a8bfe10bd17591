/** What a Slack profile says. */
export interface Profile {
  readonly name: string | undefined;
  /** Undefined if the profile shows none. */
  readonly email: string | undefined;
  /** Whether the user is an admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Whether the user is from another organisation: in shared channels they can press buttons. */
  readonly isExternal: boolean;
  /** Whether the user is a guest, in one channel or several. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** The user's time zone, in seconds east of UTC. */
  readonly utcOffsetSeconds: number;
  /** Its IANA name; undefined if Slack doesn't say. */
  readonly timeZone?: string | undefined;
  /** In BCP 47, such as "en-GB"; undefined if Slack doesn't say. */
  readonly locale?: string | undefined;
}
