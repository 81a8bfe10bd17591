/** A post that Slack would have taken, or told to come later. Times in milliseconds. */
interface Posted {
  readonly channel: string;
  readonly at: number;
}

/** Slack's limit: one message a second and channel. Source: docs.slack.dev/apis/web-api/rate-limits. */
const REST_MS = 1_000;

/** What reached each channel, and how often Slack would have said that it was too soon. */
export interface ChannelReport {
  readonly channel: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Channels that take a message a second. */
export function createPacedChannels(now: () => number) {
  let posts: Posted[] = [];
  const last = new Map<string, number>();
  let refused = 0;
  return {
    /** Whether the channel takes a post now. */
    take(channel: string): boolean {
      const at = now();
      if (at - (last.get(channel) ?? -Infinity) < REST_MS) {
        refused += 1;
        return false;
      }
      last.set(channel, at);
      posts.push({ channel, at });
      return true;
    },
    /** Since the last report. */
    report(): { readonly refused: number; readonly channels: readonly ChannelReport[] } {
      const channels = [...Map.groupBy(posts, ({ channel }) => channel)].map(([channel, taken]) => ({
        channel,
        count: taken.length,
        firstAt: taken[0]?.at ?? 0,
        lastAt: taken.at(-1)?.at ?? 0,
      }));
      const report = { refused, channels };
      posts = [];
      refused = 0;
      return report;
    },
  };
}
