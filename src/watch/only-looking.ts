import type { IncomingHttpHeaders } from 'node:http';

const SLACK_SCANNERS = /slackbot|slack-imgproxy/i;

function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']].join(
    ' ',
  );
  return /prefetch|prerender|preview/i.test(purpose);
}

/**
 * Whether a request only looks at an address, without a person who opened it: HEAD, a prefetching browser, an
 * image or frame on some page, or Slack's link expander (docs.slack.dev/messaging/unfurling-links, "Slackbot").
 */
export function isOnlyLooking(method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== 'GET' || isPrefetch(headers)) return true;
  if (SLACK_SCANNERS.test(headers['user-agent'] ?? '')) return true;
  // Browsers say what an address is opened as; older ones and tools do not say.
  const destination = headers['sec-fetch-dest'];
  return destination !== undefined && destination !== 'document';
}
