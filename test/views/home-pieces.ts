import { AgentSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { homeView } from '../../src/views/home.ts';
import type { HomeContent, HomeTab } from '../../src/views/home.ts';
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

/** Nothing is there yet, and nothing failed. */
export const empty: HomeContent = {
  at: new Date('2026-03-04T10:00:00Z'),
  you: { had: { is: 'without-email', slackName: 'Ana' } },
  online: { had: { visitors: [], hasMore: false, tools } },
  sessions: { had: { latest: [], total: 0 } },
  links: { had: { latest: [], tellsEnds: true } },
  usage: { had: { usage: UsageSchema.parse({}), picture: undefined } },
};
export const full = (changes: Partial<HomeContent>): HomeTab => homeView({ ...empty, ...changes });
