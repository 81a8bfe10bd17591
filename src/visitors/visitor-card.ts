import type { Session, Visitor } from '../cobrowse/schemas.ts';
import { latestFirst, sessionLineWith } from '../messages/agent-card.ts';
import { timeline } from '../messages/history.ts';
import { buttons, context, lines, message, points } from '../messages/message.ts';
import type { Message, Part } from '../messages/message.ts';
import { noWatchWords } from '../messages/refusals.ts';
import { bold, code, date } from '../messages/rich-text.ts';
import type { Line } from '../messages/rich-text.ts';
import { short } from '../messages/text.ts';
import { agentNames } from '../messages/session-words.ts';
import { deviceOf, pageOf, placeOf, presence, whoLine } from '../messages/visitor-pieces.ts';
import {
  onItElements,
  stopElements,
  tellOnlineElements,
  watchElements,
} from '../messages/visitor-buttons.ts';
import type { VisitorTools } from '../messages/visitor-buttons.ts';

// Slack shows the end of a message: on a phone, more would push the name and Watch out of sight.
const SESSIONS_SHOWN = 2;
/** Three are shown; beyond this not even counting them is worth the work. */
const MOST_INTEGRATION_VALUES = 20;

function list(texts: readonly string[], most: number): string {
  const shown = texts.map((text) => short(text, 60)).filter((text) => text !== '');
  const rest = shown.length - most;
  return rest > 0 ? `${shown.slice(0, most).join(', ')} and ${rest} more` : shown.join(', ');
}

/** The system the visitor came from, where it is a text or names itself. */
function integrationOf({ integration }: Visitor): string {
  if (typeof integration === 'string') return short(integration, 80);
  if (typeof integration !== 'object' || integration === null) return '';
  const texts = Object.values(integration)
    .slice(0, MOST_INTEGRATION_VALUES)
    .filter((value) => typeof value === 'string' || typeof value === 'number');
  return list(texts.map(String), 3);
}

function section(title: string, rows: readonly Line[]): Part[] {
  return rows.length === 0 ? [] : [lines([bold(title)]), points(...rows)];
}

/** "Tags: vip, checkout", of what is known. */
const labelled = (...facts: readonly (readonly [string, string])[]): string =>
  facts
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join(' · ');

function mainFacts(visitor: Visitor, { partners }: VisitorTools): readonly Line[] {
  const page = pageOf(visitor);
  const about = [placeOf(visitor), deviceOf(visitor)].filter((part) => part !== undefined).join(' · ');
  const known = labelled(
    ['Lookup code', short(visitor.lookup_code ?? '', 20)],
    ['Tags', list(visitor.tags, 10)],
  );
  const state = presence(visitor, partners?.get(visitor.short_id));
  return [
    whoLine(visitor),
    page === undefined ? state : [...state, ' · Page: ', code(page)],
    ...[about, known].filter((line) => line !== '').map((line) => [line]),
  ];
}

function furtherFacts(visitor: Visitor): Part {
  const added = new Date(visitor.added_at ?? Number.NaN);
  return context(
    labelled(
      ['Other names', list(visitor.identities.slice(1), 10)],
      ['Integration', integrationOf(visitor)],
      ['Id', short(visitor.short_id, 60)],
      ['Unique id', short(visitor.unique_id ?? '', 60)],
    ),
    ...(Number.isNaN(added.getTime()) ? [] : ['First seen:', date(added)]),
  );
}

function withAgents(session: Session): Line {
  const names = agentNames(session);
  return names.length === 0 ? [] : [`, with ${names.join(', ')}`];
}

function recentSessions({ sessions }: Visitor): readonly Line[] {
  const shown = latestFirst(sessions).slice(0, SESSIONS_SHOWN);
  return shown.map((session) => sessionLineWith(session, withAgents(session)));
}

/** One visitor, with everything that is known and can be shown. */
export function visitorCard(visitor: Visitor, tools: VisitorTools): Message {
  return message(
    lines(...mainFacts(visitor, tools)),
    ...noWatchWords(tools.mayNotWatch),
    buttons(
      ...tellOnlineElements(visitor, tools),
      ...watchElements(visitor, tools),
      ...onItElements(visitor, tools),
      ...stopElements(visitor, tools),
    ),
    ...section('Pages seen', timeline(visitor)),
    ...section('Recent sessions', recentSessions(visitor)),
    furtherFacts(visitor),
  );
}
