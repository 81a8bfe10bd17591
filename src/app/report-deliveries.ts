import type { Lateness } from '../deliveries/lateness.ts';
import type { Oldest } from '../deliveries/overview.ts';
import type { Report } from '../deliveries/report.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

export function reportDelivery(log: Log, metrics: Metrics): Report {
  return function report(outcome, { id, kind, session, subscriptions = [], reason, wasThere, error }) {
    metrics.delivered(outcome);
    const to = subscriptions.length === 0 ? {} : { subscriptions };
    const line = { delivery: id, kind, session, ...to, outcome, reason, wasThere, err: error };
    if (outcome === 'posted') log.info(line, 'summary posted');
    else if (outcome === 'skipped') log.info(line, 'summary not wanted there');
    else if (outcome === 'later') log.warn(line, 'summary to be tried again');
    else
      log.error(
        line,
        outcome === 'failed' ? 'summary given up' : 'summary held back by a failure of our own',
      );
  };
}

/** Says once for each scope that the app may not look whether a post arrived. */
export function reportBlind(log: Log) {
  const said = new Set<string>();
  return function blind(reason: string, neededScope: string | undefined): void {
    const what = neededScope ?? reason;
    if (said.has(what)) return;
    said.add(what);
    log.warn({ reason, neededScope }, 'a post without an answer cannot be looked for: it may come twice');
  };
}

export function reportRechecks(log: Log, metrics: Metrics) {
  return {
    report(outcome: 'removed' | 'unknown', id: string): void {
      metrics.doubled(outcome);
      if (outcome === 'removed')
        log.info({ delivery: id }, 'a summary was there twice: the later one is removed');
      else log.warn({ delivery: id }, 'it could not be looked whether a summary is there twice');
    },
    broken: (id: string, error: unknown) =>
      log.error({ delivery: id, err: error }, 'looking for a doubled summary failed'),
  };
}

/** Once when it begins and once when it is over, not at every look. */
export function reportLateness(log: Log) {
  return function report(
    lateness: Lateness,
    oldest: (Pick<Oldest, 'id'> & { readonly seconds: number }) | undefined,
  ): void {
    const line = { lateness, delivery: oldest?.id, oldestWaitingSeconds: oldest?.seconds };
    if (lateness === 'none') log.info(line, 'no summary waits for more than a minute any more');
    else if (lateness === 'in-turn')
      log.warn(line, 'summaries wait for more than a minute: they go out one a second in each channel');
    else
      log.warn(
        line,
        'summaries wait for more than a minute: see the Home tab, or the lines of this delivery',
      );
  };
}
