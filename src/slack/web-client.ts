import { WebAPIPlatformError } from '@slack/web-api';
import type { Logger } from '@slack/bolt';

/**
 * Options for clients of Slack's Web API that fail soon and never retry by themselves. web-api's defaults, no time
 * limit and ten tries, have delivered a message twice. The caller decides whether a call may be repeated.
 */
export function webClientOptions({ apiUrl, logger }: { readonly apiUrl: string; readonly logger: Logger }) {
  return {
    slackApiUrl: apiUrl,
    logger,
    timeout: 10_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  } as const;
}

/**
 * Slack's error code, if Slack said no. A proxy's page with status 200 comes as the same kind of error, with its text
 * instead of a code.
 */
export function slackErrorCode(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  return typeof code === 'string' && /^\w+$/.test(code) ? code : undefined;
}
