import { z } from 'zod';
import { capability, type Capability } from './access.ts';
import type { Act } from './acts.ts';

/** The largest message a page can send; a larger snapshot isn't sent, and the page says so. */
export const mostMessageBytes = 4 * 1024 * 1024;

const short = z.string().max(200);

/** Messages from a visitor's page. */
export const pageMessage = z.discriminatedUnion('t', [
  z.object({
    t: z.literal('hello'),
    /** The site's public key. */
    key: short,
    /** Who the visitor was last time, according to the service; otherwise somebody new. */
    visitor: short.optional(),
    /** The tab, across reloads and pages. */
    tab: short,
    /** This load of the page. */
    page: short,
    url: z.string().max(4_000),
    name: short.optional(),
    email: short.optional(),
  }),
  z.object({ t: z.literal('answer'), session: short, allow: z.boolean() }),
  z.object({ t: z.literal('grant'), allow: z.boolean() }),
  z.object({ t: z.literal('revoke') }),
  z.object({ t: z.literal('stop') }),
  z.object({ t: z.literal('events'), seq: z.int(), events: z.array(z.unknown()).max(5_000) }),
  z.object({ t: z.literal('too-large'), bytes: z.number() }),
  z.object({ t: z.literal('beat'), hidden: z.boolean() }),
  z.object({ t: z.literal('did'), act: z.int(), result: z.enum(['done', 'refused']), why: short.optional() }),
  z.object({
    t: z.literal('feedback'),
    session: short,
    rating: z.int().min(1).max(5),
    comment: z.string().max(1_000).optional(),
  }),
]);

export type PageMessage = z.infer<typeof pageMessage>;
export type PageHello = Extract<PageMessage, { t: 'hello' }>;

/** Messages to a visitor's page. `state` is complete, so losing one does no harm. */
export type ToPage =
  | {
      readonly t: 'welcome';
      readonly visitor: string;
      readonly code: string | null;
      /** The last events of this page load that arrived. */
      readonly got: number;
    }
  | { readonly t: 'state'; readonly state: PageState }
  | { readonly t: 'snapshot' }
  | { readonly t: 'act'; readonly id: number; readonly by: string; readonly act: Act }
  | { readonly t: 'beat'; readonly got: number }
  | { readonly t: 'ended'; readonly session: string; readonly agent: string };

export interface PageState {
  /** Sessions whose agents want to see the page and wait for an answer. */
  readonly asking: readonly { readonly session: string; readonly agent: string }[];
  /** Who sees the page; if empty, it isn't streamed. */
  readonly seenBy: readonly string[];
  /** What the agent in control can do now. */
  readonly access: readonly Capability[];
  readonly controller: string | null;
  /** What else the agent in control asks for. */
  readonly asked: readonly Capability[];
  /** Whether an agent's connection is lost right now. */
  readonly isAgentAway: boolean;
}

/** Messages from an agent's page. */
export const agentMessage = z.discriminatedUnion('t', [
  /** `seen`: the last events of `stream` that arrived. */
  z.object({ t: z.literal('hello'), stream: short.nullable(), seen: z.int() }),
  z.object({ t: z.literal('act'), id: z.int(), seen: z.int(), act: z.unknown() }),
  z.object({ t: z.literal('ask'), access: z.array(capability).max(10) }),
  z.object({ t: z.literal('control') }),
  z.object({ t: z.literal('snapshot') }),
  z.object({ t: z.literal('beat'), seen: z.int() }),
  z.object({ t: z.literal('end') }),
  z.object({
    t: z.literal('feedback'),
    rating: z.int().min(1).max(5),
    comment: z.string().max(1_000).optional(),
  }),
]);

export type AgentMessage = z.infer<typeof agentMessage>;

/** Why an agent's act was refused; {@link refusalWords} on its page has the words. */
export type Refusal =
  | 'no-access'
  | 'not-in-control'
  | 'not-live'
  | 'stale'
  | 'bad-act'
  | 'masked'
  | 'file'
  | 'own'
  | 'gone'
  | 'popup'
  | 'no-effect';

/** Messages to an agent's page. */
export type ToAgent =
  | { readonly t: 'state'; readonly state: AgentState }
  | { readonly t: 'events'; readonly seq: number; readonly events: readonly unknown[] }
  /** What follows doesn't continue what came before; a snapshot is on its way. */
  | { readonly t: 'gap'; readonly stream: string }
  | { readonly t: 'too-large'; readonly bytes: number; readonly most: number }
  | { readonly t: 'did'; readonly id: number; readonly result: 'done' | 'refused'; readonly why?: string }
  | { readonly t: 'beat'; readonly pageBeatMs: number }
  /** `wentLive`: whether the agent was shown the visitor's page. */
  | { readonly t: 'ended'; readonly by: string; readonly wentLive: boolean; readonly seconds: number };

export interface AgentState {
  readonly status: 'waiting' | 'asking' | 'live';
  /** The visitor's page: visible, in a hidden tab, or not connected. */
  readonly page: 'visible' | 'hidden' | 'lost';
  readonly url: string | null;
  /** Other agents about whom the visitor is asked right now. */
  readonly othersAsking: readonly string[];
  /** What this agent can do now, and the most the link grants. */
  readonly access: readonly Capability[];
  readonly granted: readonly Capability[];
  readonly asked: readonly Capability[];
  readonly control: 'you' | 'nobody' | 'other';
  /** The other agent who is in control. */
  readonly controller: string | null;
  /** How many agent pages show this visitor. */
  readonly watchers: number;
}
