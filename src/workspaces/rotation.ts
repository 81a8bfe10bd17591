import { setTimeout as pause } from 'node:timers/promises';
import { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { DatabaseError, sql, type Database } from '../database/database.ts';
import { isTokenRefused } from '../messages/slack-codes.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../logging/metrics.ts';
import { Secret } from './data-keys.ts';
import type { OAuthApp } from './install.ts';
import { isUnclaimed, type Install, type Installs } from './installs.ts';
import { slackErrorCode, webClientOptions } from './web-client.ts';

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

/** Source: oauth.v2.access with `grant_type=refresh_token`, oauth.v2.exchange. */
const Pair = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });
const WorkspaceId = z.object({ id: z.string() });

interface RotationParts {
  readonly database: Pick<Database, 'read' | 'steadyTime'>;
  readonly installs: Installs;
  readonly oauth: OAuthApp;
  readonly apiUrl: string;
  readonly slackAgent: Dispatcher;
  readonly answered?: Metrics['slack'];
  readonly log: Log;
  readonly now: () => number;
}

/** Asks Slack for new tokens, and puts them in the place of an installation's. */
function createReplacing({ installs, oauth, now, log, ...access }: RotationParts) {
  const { clientId: client_id, clientSecret: client_secret, publicUrl } = oauth;
  const slack = new WebClient(undefined, webClientOptions({ ...access, log }));

  /** What isn't written is lost. */
  async function keep(install: Install, answer: unknown, askedAt: number): Promise<void> {
    const given = Pair.parse(answer);
    const botToken = new Secret(given.access_token);
    const refreshToken = new Secret(given.refresh_token);
    const rotation = { refreshToken, endsAt: askedAt + given.expires_in * 1_000 };
    for (let writes = 1; ; writes += 1) {
      try {
        return await installs.renew(install, { botToken, rotation });
      } catch (error) {
        if (!(error instanceof DatabaseError) || writes === MOST_WRITES) throw error;
        await pause(WRITE_AGAIN_MS);
      }
    }
  }

  /** Rejects where no pair came, or it couldn't be written. @returns false if another process is at it, or was */
  async function replace(install: Install, ask: () => Promise<unknown>): Promise<boolean> {
    if (!(await installs.claimTokens(install, CLAIM_MS))) return false;
    const askedAt = now();
    await keep(install, await ask(), askedAt);
    return true;
  }

  async function refresh(install: Install): Promise<'done' | 'busy' | 'failed'> {
    const { workspaceId, rotation } = install;
    try {
      const isDone = await replace(install, async () => {
        const refresh_token = rotation?.refreshToken?.reveal();
        if (refresh_token === undefined) throw new Error('Its key isn’t in SECRET_KEYS.');
        return slack.oauth.v2.access({
          client_id,
          client_secret,
          grant_type: 'refresh_token',
          refresh_token,
        });
      });
      return isDone ? 'done' : 'busy';
    } catch (error) {
      const code = slackErrorCode(error) ?? '';
      if (isTokenRefused(code)) {
        await installs.lose(install, code);
        log.error(
          { workspaceId, code, installUrl: `${publicUrl}/slack/install` },
          'Slack gives a workspace no new token, so nothing works there until an admin installs the app again',
        );
      } else
        log.error({ workspaceId, err: error }, 'a token couldn’t be refreshed, which is tried again soon');
      return 'failed';
    }
  }

  /** Rejects where Slack doesn't, or that can't be written. @returns false if another process is at it */
  const exchange = (install: Install): Promise<boolean> =>
    replace(install, () =>
      slack.oauth.v2.exchange({ client_id, client_secret, token: install.botToken?.reveal() ?? '' }),
    );

  return { refresh, exchange };
}

/**
 * Replaces tokens that end: two hours before, or when Slack says that one has ended. A refresh token is good once, so one
 * process asks at a time. Where its answer is lost, or the process dies before it's written, Slack refuses the token at the
 * next try, and the app has to be installed again. Source: docs.slack.dev/authentication/using-token-rotation.
 */
export function createRotation(parts: RotationParts) {
  const { database, installs, now } = parts;
  const { refresh, exchange } = createReplacing(parts);

  return {
    /** For an installation from before tokens ended. Slack exchanges a token once. */
    exchange,

    /**
     * What has taken the place of a token that Slack refused, perhaps only now; undefined if nothing has. However many ask, in
     * any process, one refreshes: only that says whether one that was taken back was to be replaced, or the app was removed.
     * Rejects with a DatabaseError. @param seen with that token
     */
    async instead(seen: Pick<Install, 'workspaceId' | 'version'>): Promise<Secret | undefined> {
      for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
        const install = await installs.of(seen.workspaceId);
        if (install === undefined || install.isLost) return undefined;
        if (install.version !== seen.version) return install.botToken;
        if (install.rotation?.refreshToken === undefined) {
          installs.refused(seen.workspaceId);
          return undefined;
        }
        const owner = install.lentBy === undefined ? install : await installs.of(install.lentBy);
        const outcome = owner && (await refresh(owner));
        if (outcome === undefined || outcome === 'failed') return undefined;
        if (outcome === 'busy') await pause(LOOK_EVERY_MS);
      }
      return undefined;
    },

    /** For the outbox. */
    job: {
      name: 'refreshing',
      nextRun: sql`SELECT token_ends_at - ${AHEAD_MS} AS at FROM workspaces CROSS JOIN clock
        WHERE refresh_token IS NOT NULL AND ${isUnclaimed(sql`clock.steady`)} ORDER BY token_ends_at LIMIT 1`,
      async run(): Promise<void> {
        const due = await database.read(
          sql`SELECT id FROM workspaces WHERE refresh_token IS NOT NULL AND ${isUnclaimed(database.steadyTime())}
            AND token_ends_at <= ${now() + AHEAD_MS} ORDER BY token_ends_at LIMIT ${AT_ONCE}`,
          WorkspaceId,
        );
        const installed = await Promise.all(due.map(({ id }) => installs.of(id)));
        await Promise.all(installed.flatMap((install) => install ?? []).map(refresh));
      },
      recoverStale: sql`UPDATE workspaces SET refreshing_until = 0 WHERE refreshing_until IS NOT NULL`,
    },
  };
}
export type Rotation = ReturnType<typeof createRotation>;
