import { randomUUID } from 'node:crypto';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Workspace } from './workspaces.ts';

/*
 * Which workspace posted a button or a form: where workspaces install the app, each carries the install id, as tickets do,
 * behind the `block_id` of a message's buttons and behind the `callback_id` of a view. Slack says for which workspace a
 * press is, and of a channel that two workspaces share, or of a person in two of them, it has named the other one. Source:
 * slackapi/bolt-js#1614, slackapi/bolt-python#1229.
 */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const MARKED = /^(.*)@([\w-]{36})$/s;

/** An id of ours, and the install id that it carries, if it does. */
export function readMarked(marked: string): { readonly id: string; readonly installId?: string } {
  const [, id, installId] = MARKED.exec(marked) ?? [];
  return id === undefined || installId === undefined ? { id: marked } : { id, installId };
}

/**
 * Whether what was pressed or sent in is the workspace's own.
 *
 * @param marked the id that may carry an install id
 * @param botId who posted it, where Slack says so: for what was posted before ids carried any
 */
export async function isPostedBy(
  { installId: own, installedAs }: Pick<Workspace, 'installId' | 'installedAs'>,
  marked: string,
  botId?: string | null,
): Promise<boolean> {
  // The one in the settings.
  if (own === undefined) return true;
  const { installId } = readMarked(marked);
  if (installId !== undefined) return installId === own;
  return typeof botId !== 'string' || (await installedAs()).botId === botId;
}

const mark = (id: unknown, installId: string) => `${typeof id === 'string' ? id : ''}@${installId}`;

function markedBlock(block: unknown, installId: string): unknown {
  if (!isFields(block) || (block['type'] !== 'actions' && block['accessory'] === undefined)) return block;
  // A new one each time, as Slack gives it: a menu in a changed message must not keep its old choice.
  return { ...block, block_id: mark(block['block_id'] ?? randomUUID(), installId) };
}

/** A view as the workspace's own. */
export const markedView = <View extends { readonly callback_id?: unknown }>(
  view: View,
  installId: string | undefined,
) => (installId === undefined ? view : { ...view, callback_id: mark(view.callback_id, installId) });

/** What is sent to Slack, a message with `blocks` or a `view`, as the workspace's own. */
export function withMark(sent: Fields, installId: string | undefined): Fields {
  if (installId === undefined) return sent;
  const { blocks, view } = sent;
  return {
    ...sent,
    ...(Array.isArray(blocks) ? { blocks: blocks.map((block) => markedBlock(block, installId)) } : {}),
    ...(isFields(view) ? { view: markedView(view, installId) } : {}),
  };
}

/** Slack's Web API for one that installed the app: whatever it posts is marked as the workspace's own. */
export class WorkspaceClient extends WebClient {
  readonly #installId: string;
  constructor(token: string | undefined, options: WebClientOptions, installId: string) {
    super(token, options);
    this.#installId = installId;
  }
  override apiCall(method: string, options: Fields = {}) {
    return super.apiCall(method, withMark(options, this.#installId));
  }
}
