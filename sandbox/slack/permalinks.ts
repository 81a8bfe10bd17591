import type { Message } from './messages.ts';

/**
 * A message's permalink, in Slack's form: `/archives/C../p1700000000000100`. It leads to the stand-in's page, since
 * nothing here may lead to slack.com.
 */
export const permalinkOf = (base: string, { channel, ts, threadTs }: Message): string => {
  const link = `${base}/archives/${channel}/p${ts.replace('.', '')}`;
  return threadTs === undefined ? link : `${link}?thread_ts=${threadTs}&cid=${channel}`;
};

/** Where the page shows the message that a permalink names: `/#C../1700000000.000100`. */
export const pagePlace = (path: string): string | undefined => {
  const [, channel, seconds, rest] = /^\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/u.exec(path) ?? [];
  return channel === undefined ? undefined : `/#${channel}/${seconds}.${rest}`;
};
