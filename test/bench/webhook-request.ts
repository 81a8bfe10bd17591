import type { LoadRequest } from './load-job.ts';

/** A session of 2 KB, as the service posts it. */
const session = {
  id: 'session-{n}',
  _type: 'Session',
  agents: [
    { _type: 'Agent', id: '17', name: 'Ann Rivera', email: 'ann@example.com', agent_nickname: 'Ann' },
    { _type: 'ExternalAgent', id: '18', name: 'Sam Field', external_id: 'slack-T0BENCH0001-U0BENCH0002' },
  ],
  call_length_seconds: 0,
  call_name: 'Support',
  ended_at: '2026-07-01T12:34:56Z',
  started_at: '2026-07-01T12:22:33Z',
  features_used: ['cobrowse', 'draw', 'click', 'scroll'],
  formatted_length: '12:23',
  length_seconds: 743,
  on_premise: false,
  public_video_url: null,
  quality_feedback: [{ question: 'How was it?', answer: 'Quick and clear. '.repeat(60) }],
  session_authorized: true,
  source: 'api',
  team: { _type: 'Team', id: '3', domain: 'example.com' },
  video_status: 'none',
  visitor_id: '4711',
  went_live: true,
};
/** The same as it is stored; `{n}` in it becomes its number. */
export const sessionText = JSON.stringify(session);

/** The ticket of a link, and the link that its session names. */
export interface Link {
  readonly ticket: string;
  readonly linkId: string;
}

/** The end of a link's session, of which each is another. */
export function webhookOf({ ticket, linkId }: Link): LoadRequest {
  const metadata = { slack_link: linkId, slack_workspace: 'T0BENCH0001', slack_user: 'U0BENCH0001' };
  return {
    method: 'POST',
    path: `/webhooks/session-end/${ticket}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...session, metadata }),
  };
}
