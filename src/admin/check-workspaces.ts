import { count } from '../messages/text.ts';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

/** What is known of the workspaces that installed the app. */
export interface KnownWorkspaces {
  readonly installed: number;
  /** Slack refuses their tokens. */
  readonly refused: number;
  /** The app was removed there. */
  readonly gone: number;
  /** How many need a key that isn't in SECRET_KEYS, by its id. */
  readonly missing: readonly { readonly key: string; readonly workspaces: number }[];
}

const ABOUT = 'Workspaces';

/** Which workspaces there are, and whether their secrets can be opened: for whoever runs the app for many. */
export const workspacesCheck = (read: () => Promise<KnownWorkspaces>): Check => ({
  about: ABOUT,
  async run() {
    const { installed, refused, gone, missing } = await read();
    const states = [
      `${installed} installed`,
      ...(refused === 0 ? [] : [`${refused} with a refused token`]),
      ...(gone === 0 ? [] : [`${gone} gone`]),
    ];
    return [
      { about: ABOUT, state: 'ok', says: states.join(', ') },
      ...missing.map(({ key, workspaces }): Finding => ({
        about: ABOUT,
        state: 'failure',
        says: `${count(workspaces, 'workspace')} can’t be served: the key ${key} isn’t in SECRET_KEYS.`,
        next: 'Put it back after the newest, restart the app, and run npm run rotate-keys before you remove it again.',
      })),
    ];
  },
});
