import { looksLikeSigningSecret } from '../workspaces/web-client.ts';
import type { Check } from './doctor.ts';

export interface SigningSecretParts {
  readonly secret: string;
  /** Since when no request has fitted it, as milliseconds since 1970; undefined if one has, or none came. */
  readonly unfitSince: () => Promise<number | undefined>;
}

const NEXT =
  'Copy the Signing Secret from Basic Information on the app’s page into SLACK_SIGNING_SECRET, then restart the app.';

/** Whether Slack's requests fit the signing secret. With a wrong one all are refused, and Slack says that the app didn't respond. */
export function signingSecretCheck({ secret, unfitSince }: SigningSecretParts): Check {
  const about = 'Signing secret';
  return {
    about,
    async run() {
      const since = await unfitSince();
      if (since !== undefined) {
        const time = `${new Date(since).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
        return [
          { about, state: 'failure', says: `No request from Slack has fitted it since ${time}.`, next: NEXT },
        ];
      }
      if (looksLikeSigningSecret(secret))
        return [{ about, state: 'ok', says: 'No request from Slack was refused because of it.' }];
      const says = 'It doesn’t look like one of Slack’s, which are 32 letters and digits.';
      return [{ about, state: 'warning', says, next: NEXT }];
    },
  };
}
