import { setTimeout as pause } from 'node:timers/promises';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import { DatabaseError, hasChanged, sql, steadyTimeIn, type Database } from '../database/database.ts';
import { isTokenRefused } from '../messages/slack-codes.ts';
import type { Log } from '../logging/log.ts';
import { Secret } from './data-keys.ts';
import { WorkspaceId, holdUnlessHeld } from './holds.ts';
import type { OAuthApp } from './install.ts';
import type { Install, Installs, Tokens } from './installs.ts';
import { slackErrorCode } from './web-client.ts';

/** Before the end of a token that lasts for twelve hours. */
const AHEAD_MS = 2 * 60 * 60_000;
/** A call to Slack takes ten seconds at most, and the write after it is tried again. Also how long until the next try. */
const CLAIM_MS = 30_000;
const WRITE_AGAIN_MS = 1_000;
const MOST_WRITES = 30;
/** How long a call whose token has ended waits for the next one, and how often it looks. */
const PATIENCE_MS = 12_000;
const LOOK_EVERY_MS = 100;
const AT_ONCE = 20;

/** Source: oauth.v2.access, oauth.v2.exchange. A token that doesn't end comes alone. */
export const TokensGiven = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
});

/** @param askedAt when Slack was asked, milliseconds since 1970 */
export const tokensIn = (
  { access_token, refresh_token, expires_in }: z.infer<typeof TokensGiven>,
  askedAt: number,
): Tokens => ({
  botToken: new Secret(access_token),
  refreshToken: refresh_token === undefined ? undefined : new Secret(refresh_token),
  tokenEndsAt: expires_in === undefined ? undefined : askedAt + expires_in * 1_000,
});

interface RotationParts {
  readonly database: Pick<Database, 'read' | 'write' | 'steadyTime'>;
  readonly installs: Installs;
  readonly oauth: OAuthApp;
  readonly clientOptions: WebClientOptions;
  readonly log: Log;
  readonly now: () => number;
}

function createReplacing({ database, installs, oauth, clientOptions, log, now }: RotationParts) {
  const credentials = { client_id: oauth.clientId, client_secret: oauth.clientSecret };
  const slack = new WebClient(undefined, clientOptions);

  /** Slack exchanges a token that doesn't end once, for a pair that does. */
  function ask({ tokenEndsAt, botToken, refreshToken }: Install): Promise<unknown> {
    const sent = (tokenEndsAt === undefined ? botToken : refreshToken)?.reveal();
    if (sent === undefined) throw new Error('Its key isn’t in SECRET_KEYS.');
    return tokenEndsAt === undefined
      ? slack.oauth.v2.exchange({ ...credentials, token: sent })
      : slack.oauth.v2.access({ ...credentials, grant_type: 'refresh_token', refresh_token: sent });
  }

  /** Rejects where no pair came, or it couldn't be written. @returns false if another process is at it, or was */
  async function replace(install: Install): Promise<boolean> {
    const [claimed] = await database.write(
      sql`UPDATE workspaces SET refreshing_until = ${steadyTimeIn(database, CLAIM_MS)}
        WHERE ${install.isStill} AND COALESCE(refreshing_until, 0) <= ${database.steadyTime()}`,
    );
    if (!hasChanged(claimed)) return false;
    const askedAt = now();
    const tokens = tokensIn(TokensGiven.required().parse(await ask(install)), askedAt);
    // What isn't written is lost.
    for (let writes = 1; ; writes += 1) {
      try {
        await installs.replaceTokens(install, tokens);
        return true;
      } catch (error) {
        if (!(error instanceof DatabaseError) || writes === MOST_WRITES) throw error;
        await pause(WRITE_AGAIN_MS);
      }
    }
  }

  /** @param seen whose tokens are asked for, if they're still the same @returns false if there are none, for whatever reason */
  async function refresh(seen: Install): Promise<boolean> {
    const { organizationId, isStill } = seen;
    const owner = organizationId === undefined ? seen : await installs.of(organizationId);
    if (owner?.tokenEndsAt === undefined) return false;
    const { workspaceId } = owner;
    const install = { ...owner, isStill };
    try {
      await replace(install);
      return true;
    } catch (error) {
      const code = slackErrorCode(error) ?? '';
      if (isTokenRefused(code)) {
        await installs.loseTokens(install, code);
        log.error(
          { workspaceId, code, installUrl: `${oauth.publicUrl}/slack/install` },
          'Slack gives a workspace no new token, so nothing works there until an admin installs the app again',
        );
      } else
        log.error({ workspaceId, err: error }, 'a token couldn’t be refreshed, which is tried again soon');
      return false;
    }
  }

  return { replace, refresh };
}

/**
 * Replaces tokens that end: two hours before, or when Slack says that one has ended. A refresh token is good once, so one
 * process asks at a time. Where its answer is lost, or the process dies before it's written, Slack refuses the token at the
 * next try, and the app has to be installed again. Source: docs.slack.dev/authentication/using-token-rotation.
 */
export function createRotation(parts: RotationParts) {
  const { database, installs, now } = parts;
  const { replace, refresh } = createReplacing(parts);

  return {
    replace,

    /**
     * What has taken the place of a token that Slack refused; undefined if nothing has, and then all of the workspace waits until
     * it's known why. However many ask, in any process, one refreshes: only that says whether it was to be replaced, or the app
     * was removed. Rejects with a DatabaseError. @param seen with that token
     */
    async tokenAfter(seen: Pick<Install, 'workspaceId' | 'version'>): Promise<Secret | undefined> {
      for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
        const install = await installs.of(seen.workspaceId);
        if (install === undefined || install.state === 'reinstall') return undefined;
        if (install.version !== seen.version) return install.botToken;
        if (install.refreshToken === undefined) {
          await database.write(holdUnlessHeld(seen.workspaceId, now()));
          return undefined;
        }
        if (!(await refresh(install))) return undefined;
        await pause(LOOK_EVERY_MS);
      }
      return undefined;
    },

    job: {
      name: 'refreshing',
      nextRun: sql`SELECT token_ends_at - ${AHEAD_MS} AS at FROM workspaces CROSS JOIN clock
        WHERE refresh_token IS NOT NULL AND COALESCE(refreshing_until, 0) <= clock.steady ORDER BY token_ends_at LIMIT 1`,
      async run(): Promise<void> {
        const due = await database.read(
          sql`SELECT id FROM workspaces WHERE refresh_token IS NOT NULL AND token_ends_at <= ${now() + AHEAD_MS}
            AND COALESCE(refreshing_until, 0) <= ${database.steadyTime()} ORDER BY token_ends_at LIMIT ${AT_ONCE}`,
          WorkspaceId,
        );
        const installed = await Promise.all(due.map(({ id }) => installs.of(id)));
        // Another process may just have been faster.
        const isDue = ({ tokenEndsAt = Infinity }: Install) => tokenEndsAt <= now() + AHEAD_MS;
        await Promise.all(installed.flatMap((one) => (one && isDue(one) ? [refresh(one)] : [])));
      },
      recoverStale: sql`UPDATE workspaces SET refreshing_until = 0 WHERE refreshing_until IS NOT NULL`,
    },
  };
}
export type Rotation = ReturnType<typeof createRotation>;
