import { createSeal } from './seal.ts';
import { settings } from './settings.ts';

/* The least of a click that is right, but for how the service is asked. */

const seal = createSeal(settings.SECRET_KEYS);

export const headers = {
  'content-type': 'application/json',
  'x-api-key': settings.COBROWSE_API_KEY,
} as const;

/** What the service is asked for a ticket: the path, and the body with a ticket of its own for the webhook. */
export function watchRequest(ticket: string): { readonly path: string; readonly body: string } {
  const opened = seal.open(ticket);
  const link: { workspaceId: string; userId: string; visitorId: string } = JSON.parse(opened);
  const { workspaceId, userId, visitorId } = link;
  const body = JSON.stringify({
    agent: { id: `slack-${workspaceId}-${userId}`, name: 'Ann' },
    webhook_url: `${settings.PUBLIC_URL}/webhooks/session-end/${seal.close(opened)}`,
    metadata: { slack_workspace: workspaceId, slack_user: userId },
  });
  return { path: `/v1.3/visitors/${visitorId}/watch_url`, body };
}

export function watchUrlIn(text: string): string {
  const answer: { watch_url: string } = JSON.parse(text);
  return answer.watch_url;
}
