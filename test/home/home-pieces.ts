import { AgentSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { homeView } from '../../src/home/home-message.ts';
import type { HomeContent, HomeTab } from '../../src/home/home-message.ts';
import { buttonsIn, readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { tools } from './home-content.ts';

export const problemsOf = (view: HomeTab) => problemsIn({ surface: 'home', payload: view });
export const words = ({ blocks }: HomeTab) => readable(blocks);
export const labels = ({ blocks }: HomeTab) => buttonsIn(blocks).map(({ text }) => text.text);
export const headings = ({ blocks }: HomeTab) =>
  blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []));

export const jane = VisitorSchema.parse({ short_id: 'jane', identities: ['Jane Cooper'], is_online: true });
export const ana = AgentSchema.parse({ id: 'a1', name: 'Ana Lima', email: 'ana@acme.com' });
export const usage = UsageSchema.parse({ session_counts: { now: 2, today: 4, last_30_days: 60 } });
export const picture = { url: 'https://app.example/charts/t', altText: 'Bar chart. Sessions: 4.' };

/** Fourteen days, the last with so many sessions and the others with one each or none. */
export const fortnight = (today: number) =>
  Array.from({ length: 14 }, (_nothing, index) => ({
    name: `Mar ${index + 1}`,
    label: index === 13 ? 'Today' : String(index + 1),
    sessions: index === 13 ? today : Math.min(today, 1),
    notAccepted: 0,
  }));

/** Nothing is there yet, and nothing failed. */
export const empty: HomeContent = {
  at: new Date('2026-03-04T10:00:00Z'),
  you: { had: { is: 'without-email', slackName: 'Ana' } },
  online: { had: { busy: [], others: [], hasMore: false, tools } },
  day: { had: { latest: [], earlier: 0, hasSessions: true, reportsEnds: true } },
  started: { had: { days: fortnight(0), picture: undefined } },
  usage: { had: UsageSchema.parse({}) },
};
export const full = (changes: Partial<HomeContent>): HomeTab => homeView({ ...empty, ...changes });
