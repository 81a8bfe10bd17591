import type { SessionAgent } from './agents.ts';
import type { Deadline } from './deadlines.ts';
import { formatSeconds, isoTime, secondsBetween } from './time.ts';

export type Metadata = Readonly<Record<string, string | number | boolean | null>>;

/** Who or what ended a session. */
export type Ending = 'agent' | 'visitor' | 'declined' | 'api' | Deadline;

/** What one side said about a session afterwards. The document leaves the shape open. */
export interface Feedback {
  readonly from?: 'agent' | 'visitor';
  readonly rating: number;
  readonly comment?: string;
}

/** A session as the stand-in stores it. */
export interface SessionRecord {
  readonly id: string;
  readonly visitorId: string;
  readonly agents: readonly SessionAgent[];
  readonly startedAt: Date;
  /** Null while the session runs. */
  readonly endedAt: Date | null;
  /** Null while the session runs. */
  readonly endedBy: Ending | null;
  readonly featuresUsed: readonly string[];
  /** Whether the visitor agreed to be seen. */
  readonly authorized: boolean;
  /** Whether the agent saw the visitor's page. */
  readonly wentLive: boolean;
  /** Whether it's a visitor of the on-premise installation. */
  readonly onPremise: boolean;
  readonly source: string;
  readonly metadata: Metadata;
  readonly videoUrl: string | null;
  readonly qualityFeedback: readonly Feedback[];
  /** Where the Session is posted after it ended. */
  readonly webhookUrl: string | null;
}

/** What to call the agent of a session in a sentence: their nickname if they have one. */
export function agentName({ agents: [agent] }: SessionRecord): string {
  if (agent === undefined) return 'An agent';
  return agent._type === 'user' ? agent.agent_nickname : agent.name;
}

/** The Session object of the document. */
export type Session = ReturnType<typeof sessionObject>;

const team = { id: 'team_acme', domain: 'acme.com', _type: 'team' } as const;

/** The Session object of the document; a running session has no `ended_at` and the length it has so far. */
export function sessionObject(record: SessionRecord, now: Date) {
  const lengthSeconds = secondsBetween(record.startedAt, record.endedAt ?? now);
  return {
    id: record.id,
    agents: record.agents.map((agent) => ({ ...agent, on_premise: record.onPremise })),
    call_length_seconds: 0,
    call_name: null,
    ended_at: record.endedAt ? isoTime(record.endedAt) : null,
    features_used: record.featuresUsed,
    formatted_call_length: formatSeconds(0),
    formatted_length: formatSeconds(lengthSeconds),
    length_seconds: lengthSeconds,
    metadata: record.metadata,
    on_premise: record.onPremise,
    public_video_url: null,
    quality_feedback: record.qualityFeedback,
    session_authorized: record.authorized,
    source: record.source,
    started_at: isoTime(record.startedAt),
    team,
    video_status: record.videoUrl ? 'ready' : null,
    video_url: record.videoUrl,
    visitor_id: record.visitorId,
    went_live: record.wentLive,
    _type: 'session' as const,
  };
}
