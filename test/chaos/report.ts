import type { Run } from './run.ts';

const listOf = (counts: ReadonlyMap<string, number>): string =>
  counts.size === 0
    ? 'none'
    : [...counts]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([name, count]) => `${name} ${count}`)
        .join(', ');

/** The figures of a run, for people. */
export function reportOf(run: Run): string {
  return [
    `sessions ended      ${run.sessions}`,
    `summaries posted    ${run.posted}`,
    `failed, with reason ${listOf(run.failed)}`,
    `link never given    ${run.neverHandedOut}`,
    `outgoing webhooks   ${listOf(run.webhooks)}`,
    `subscription was    ${listOf(run.during)}`,
    `faults              ${listOf(run.faults)}`,
    `asking finds ends   ${run.isWithoutAsking ? 'no' : 'yes'}`,
    `starts of the app   ${run.starts}`,
    `tokens              refreshed ${run.tokens.refreshed} times, installed again ${run.tokens.installedAgain} times`,
    `duration            ${run.seconds.toFixed(0)} s, in which ${run.hoursPassed.toFixed(1)} hours passed`,
    ...run.leftOut.map((reason) => `left out            ${reason}`),
    ...run.broken.map((promise) => `BROKEN              ${promise}`),
  ].join('\n');
}
