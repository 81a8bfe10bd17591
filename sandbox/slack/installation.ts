/** A bot token, and where tokens end, what the next one is given for. */
export interface Granted {
  readonly token: string;
  readonly refreshToken?: string;
  /** How long it lasts. */
  readonly seconds?: number;
}

/** The app in one workspace: there from the start with the token of its settings, or installed by OAuth. */
export interface Installation {
  readonly isInstalled: () => boolean;
  stateOf(token: string): 'valid' | 'expired' | 'replaced' | 'revoked' | 'unknown';
  /** @returns the same token where the app is installed already and tokens don't end. */
  readonly install: () => Granted;
  /** Replaces both tokens; undefined unless this is the refresh token that wasn't used yet. */
  readonly refresh: (refreshToken: string) => Granted | undefined;
  /** Revokes the token. @returns whether there was one. */
  readonly remove: () => boolean;
}

/** @param options.seconds how long tokens last; undefined if they don't end. */
export const createInstallation = ({
  botToken,
  seconds,
  newId,
  now,
}: {
  readonly botToken: string | undefined;
  readonly seconds: number | undefined;
  readonly newId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): Installation => {
  let current: Granted | undefined = botToken === undefined ? undefined : { token: botToken };
  let endsAt = Infinity;
  const replaced = new Set<string>();
  const revoked = new Set<string>();
  const grant = (): Granted => {
    if (seconds === undefined) return (current ??= { token: `xoxb-${newId()}` });
    if (current !== undefined) replaced.add(current.token);
    endsAt = now() + seconds * 1_000;
    current = { token: `xoxe.xoxb-1-${newId()}`, refreshToken: `xoxe-1-${newId()}`, seconds };
    return current;
  };
  return {
    isInstalled: () => current !== undefined,
    stateOf(asked) {
      if (asked === current?.token) return now() < endsAt ? 'valid' : 'expired';
      if (replaced.has(asked)) return 'replaced';
      return revoked.has(asked) ? 'revoked' : 'unknown';
    },
    install: grant,
    refresh: (refreshToken) => (refreshToken === current?.refreshToken ? grant() : undefined),
    remove() {
      if (current === undefined) return false;
      revoked.add(current.token);
      current = undefined;
      return true;
    },
  };
};
