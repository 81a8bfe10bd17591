/** The app in one workspace: there from the start with the token of its settings, or installed by OAuth. */
export interface Installation {
  readonly isInstalled: () => boolean;
  stateOf(token: string): 'valid' | 'revoked' | 'unknown';
  /** @returns the bot token: the same one where the app is installed already. */
  readonly install: () => string;
  /** Revokes the token. @returns whether there was one. */
  readonly remove: () => boolean;
}

export const createInstallation = (botToken: string | undefined, newToken: () => string): Installation => {
  let token = botToken;
  const revoked = new Set<string>();
  return {
    isInstalled: () => token !== undefined,
    stateOf: (asked) => (asked === token ? 'valid' : revoked.has(asked) ? 'revoked' : 'unknown'),
    install: () => (token ??= newToken()),
    remove() {
      if (token === undefined) return false;
      revoked.add(token);
      token = undefined;
      return true;
    },
  };
};
