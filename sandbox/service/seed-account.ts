import { sessionAgent, type AccountUser } from './agents.ts';
import type { SessionRecord } from './session.ts';

const alex: AccountUser = {
  id: 'agent_alex',
  email: 'alex@acme.com',
  first_name: 'Alex',
  last_name: 'Rivera',
  agent_nickname: 'Alex',
};
const robin: AccountUser = {
  id: 'agent_robin',
  email: 'robin@acme.com',
  first_name: 'Robin',
  last_name: 'Marsh',
  agent_nickname: 'Robin',
};

/** The agents of the account who have a login. */
export const accountUsers: readonly AccountUser[] = [alex, robin];

/** Sessions that ended before the stand-in started, relative to `now`; on-premise if their visitors are. */
export function pastSessions(now: Date, onPremise: boolean): readonly SessionRecord[] {
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const common = {
    agents: [sessionAgent(alex)],
    wentLive: true,
    authorized: true,
    endedBy: 'agent' as const,
    onPremise,
    source: 'search',
    metadata: {},
    webhookUrl: null,
    videoUrl: null,
    qualityFeedback: [],
  };
  return [
    {
      ...common,
      id: 'session_past_1',
      visitorId: 'jane4821',
      startedAt: hoursAgo(3),
      endedAt: hoursAgo(2.8),
      featuresUsed: ['click', 'scroll', 'remote_cursor'],
      videoUrl: 'https://recordings.acme.example/session_past_1',
      qualityFeedback: [{ rating: 5, comment: 'Quick and friendly' }],
    },
    {
      ...common,
      id: 'session_past_2',
      visitorId: 'amara7',
      startedAt: hoursAgo(50),
      endedAt: hoursAgo(49.9),
      featuresUsed: ['remote_cursor'],
    },
    {
      ...common,
      id: 'session_past_3',
      agents: [sessionAgent(robin)],
      visitorId: 'Xq9Z',
      startedAt: hoursAgo(200),
      endedAt: hoursAgo(198.7),
      featuresUsed: [],
      wentLive: false,
      authorized: false,
      endedBy: 'visitor-gone',
    },
  ];
}
