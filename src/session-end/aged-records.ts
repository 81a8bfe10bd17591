import type { z } from 'zod';
import { newestFirst, oldestFirst } from '../storage/newest-first.ts';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';

const PAGE = 500;

/** By which a record is found: whose it is, of when, and its own id. */
export interface Aged {
  readonly workspaceId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
}

/** Records of each workspace in the order of their time. */
export interface AgedRecords<Content> {
  get(aged: Aged): Promise<Content | undefined>;
  set(aged: Aged, content: Content): Promise<void>;
  delete(aged: Aged): Promise<void>;
  /** Those of a workspace in their order; one that cannot be read is left out. */
  all(workspaceId: string): AsyncGenerator<Content>;
  /** Of all workspaces, those included that cannot be read. */
  count(): Promise<number>;
}

interface AgedRecordsParts<Content> {
  readonly store: Store;
  readonly schema: z.ZodType<Content>;
  readonly first: 'oldest' | 'newest';
  /** How long a record is kept, milliseconds; for good where not given. */
  readonly keptMs?: number;
}

export function createAgedRecords<Content>(parts: AgedRecordsParts<Content>): AgedRecords<Content> {
  const { store, schema, first, keptMs } = parts;
  const order = first === 'oldest' ? oldestFirst : newestFirst;
  const keyOf = ({ workspaceId, at, id }: Aged) => `${workspaceId}:${order(at)}:${id}`;

  const read = async (key: string): Promise<Content | undefined> =>
    schema.safeParse(await getReadable(store, key)).data;

  return {
    get: (aged) => read(keyOf(aged)),
    set: (aged, content) => store.set(keyOf(aged), content, keptMs),
    delete: async (aged) => void (await store.delete(keyOf(aged))),
    async count() {
      let counted = 0;
      for (let after = ''; ;) {
        const keys = await store.keys(after, PAGE);
        counted += keys.length;
        const last = keys.at(-1);
        if (last === undefined || keys.length < PAGE) return counted;
        after = last;
      }
    },
    async *all(workspaceId) {
      const start = `${workspaceId}:`;
      let after = start;
      for (;;) {
        const keys = await store.keys(after, PAGE);
        const own = keys.filter((key) => key.startsWith(start));
        for (const key of own) {
          const content = await read(key);
          if (content !== undefined) yield content;
        }
        const last = own.at(-1);
        if (last === undefined || keys.length < PAGE || own.length < keys.length) return;
        after = last;
      }
    },
  };
}
