import type { Acknowledgement, Deliver, Retry } from './dispatch.ts';
import type { World } from './world.ts';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Slack's Events API, after https://docs.slack.dev/apis/events-api. */
export interface Events {
  /**
   * Sends an event the app has subscribed to, with retries while it isn't acknowledged. Others are dropped, as is what happens
   * where the app isn't installed.
   * Doesn't wait for the app.
   */
  send(event: Event): void;
  /** Cancels the remaining retries. */
  readonly close: () => void;
}

/** What an app hears of an organization, and not of a workspace. */
const ABOUT_ACCESS: ReadonlySet<string> = new Set(['team_access_granted', 'team_access_revoked']);
/** What an app hears when it was removed, and nothing else from then on. */
const ABOUT_ITS_END: ReadonlySet<string> = new Set([
  'tokens_revoked',
  'app_uninstalled',
  'team_access_revoked',
]);

/** Immediately, after a minute and after five: three more attempts after the first. */
const retryDelaysMs: readonly number[] = [0, 60_000, 300_000];

/**
 * Left out: Slack turns off subscriptions that fail most of the time, and limits events to 30,000 an hour.
 *
 * @param options.now milliseconds since 1970.
 */
export const createEvents = (options: {
  readonly world: World;
  /** The manifest's `bot_events`. */
  readonly subscribed: readonly string[];
  readonly deliver: Deliver;
  readonly now: () => number;
  readonly randomId: () => string;
}): Events => {
  const waiting = new Set<NodeJS.Timeout>();
  let closed = false;
  const attempt = async (payload: Event, retry?: Retry): Promise<void> => {
    const acknowledgement = await options.deliver('events_api', payload, retry);
    const made = retry?.number ?? 0;
    const delayMs = retryDelaysMs[made];
    if (closed || acknowledgement.acknowledged || acknowledgement.noRetry === true) return;
    if (delayMs === undefined) return;
    const timer = setTimeout(() => {
      waiting.delete(timer);
      void attempt(payload, { number: made + 1, reason: reasonOf(acknowledgement) });
    }, delayMs).unref();
    waiting.add(timer);
  };
  return {
    send(event) {
      const { world, subscribed } = options;
      const isHeard = world.hasApp(world.app.botUser) || ABOUT_ITS_END.has(event.type);
      if (isHeard && subscribed.includes(event.type)) void attempt(envelopeOf(event, options));
    },
    close() {
      closed = true;
      for (const timer of waiting) clearTimeout(timer);
    },
  };
};

const reasonOf = ({
  reason,
  status,
}: Extract<Acknowledgement, { readonly acknowledged: false }>): Retry['reason'] => {
  if (reason === 'operation_timeout') return 'http_timeout';
  return status === undefined ? 'connection_failed' : 'http_error';
};

const envelopeOf = (
  event: Event,
  {
    world,
    now,
    randomId,
  }: { readonly world: World; readonly now: () => number; readonly randomId: () => string },
): Event => ({
  token: 'verification-token',
  team_id: ABOUT_ACCESS.has(event.type) ? null : world.workspace.id,
  ...(world.workspace.organization && { enterprise_id: world.workspace.organization.id }),
  api_app_id: world.app.id,
  event,
  type: 'event_callback',
  event_id: `Ev${randomId()}`,
  event_time: Math.floor(now() / 1000),
  authorizations: [
    {
      enterprise_id: world.workspace.organization?.id ?? null,
      team_id: world.workspace.organization === undefined ? world.workspace.id : null,
      user_id: world.app.botUser,
      is_bot: true,
      is_enterprise_install: world.workspace.organization !== undefined,
    },
  ],
  is_ext_shared_channel: false,
});
