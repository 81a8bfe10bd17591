import { z } from 'zod';
import type { Capability } from './access.ts';
import type { FieldKind } from './clean-event.js';
import type { Refusal } from './page-messages.ts';

const position = z.number().min(-100_000).max(1_000_000);
/** The id of a node of the visitor's page, as the recording numbers them. */
const node = z.int().min(0);
const webAddress = z.url({ protocol: /^https?$/u }).max(2_000);

/** What an agent does on a visitor's page. Places are pixels of the visitor's viewport. */
export const act = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pointer'), x: position, y: position }),
  z.object({ kind: z.literal('pointer-off') }),
  z.object({ kind: z.literal('highlight'), node }),
  z.object({
    kind: z.literal('draw'),
    line: z.int(),
    points: z.array(z.tuple([position, position])).max(200),
  }),
  z.object({ kind: z.literal('wipe') }),
  z.object({ kind: z.literal('click'), node }),
  z.object({ kind: z.literal('scroll'), node: node.nullable(), x: position, y: position }),
  z.object({ kind: z.literal('type'), node, text: z.string().max(10_000) }),
  z.object({ kind: z.literal('choose'), node, value: z.string().max(1_000) }),
  z.object({ kind: z.literal('redirect'), url: webAddress }),
  z.object({ kind: z.literal('reload') }),
]);

export type Act = z.infer<typeof act>;

/**
 * What an act needs, and the name a session lists it under; `needs` is undefined for pointing, which is always allowed.
 */
interface ActRule {
  readonly needs: Capability | undefined;
  readonly feature: string;
}

const rules: Readonly<Record<Act['kind'], ActRule>> = {
  pointer: { needs: undefined, feature: 'remote_cursor' },
  'pointer-off': { needs: undefined, feature: 'remote_cursor' },
  highlight: { needs: undefined, feature: 'remote_cursor' },
  draw: { needs: 'draw', feature: 'draw' },
  wipe: { needs: 'draw', feature: 'draw' },
  click: { needs: 'click', feature: 'click' },
  scroll: { needs: 'scroll', feature: 'scroll' },
  type: { needs: 'type', feature: 'type' },
  choose: { needs: 'type', feature: 'type' },
  redirect: { needs: 'agent_redirect', feature: 'redirect' },
  reload: { needs: 'agent_redirect', feature: 'redirect' },
};

export const featureOf = ({ kind }: Act): string => rules[kind].feature;

/** Why an act isn't allowed; undefined if it is. The page checks again: only there can you see what is really on it. */
export function refusalOf(
  done: Act,
  access: readonly Capability[],
  field: (id: number) => FieldKind | undefined,
): Refusal | undefined {
  const { needs } = rules[done.kind];
  if (needs !== undefined && !access.includes(needs)) return 'no-access';
  if (done.kind !== 'click' && done.kind !== 'type' && done.kind !== 'choose') return undefined;
  const kind = field(done.node);
  if (kind === 'file') return 'file';
  if (kind === 'masked' || kind === 'hidden' || kind === 'text') return 'masked';
  return undefined;
}
