import { blockKitProblems, isHome, type Home } from './block-kit.ts';
import { withIds } from './messages.ts';
import { SlackError, argumentsError } from './slack-error.ts';

/** What the app last published for one person's Home tab. */
export interface HomeTab {
  readonly id: string;
  readonly user: string;
  readonly home: Home;
  readonly hash: string;
}

/** Everyone's Home tab. Unlike a modal it survives a reload of the page. */
export interface Homes {
  of(userId: string): HomeTab | undefined;
  /**
   * @param hash what the app believes is there; if left out, it isn't checked.
   * @throws {SlackError} invalid_arguments for a bad view, hash_conflict.
   */
  publish(userId: string, view: unknown, hash?: string): HomeTab;
}

export const createHomes = (options: {
  readonly randomId: () => string;
  readonly changed: () => void;
}): Homes => {
  const { randomId, changed } = options;
  const homes = new Map<string, HomeTab>();
  return {
    of: (userId) => homes.get(userId),
    publish(userId, view, hash) {
      if (!isHome(view)) throw argumentsError('invalid_arguments', blockKitProblems('home', view));
      const old = homes.get(userId);
      if (hash !== undefined && hash !== old?.hash) throw new SlackError('hash_conflict');
      const home = { ...view, blocks: withIds(view.blocks, randomId) };
      const published = { id: old?.id ?? `V${randomId()}`, user: userId, home, hash: randomId() };
      homes.set(userId, published);
      changed();
      return published;
    },
  };
};
