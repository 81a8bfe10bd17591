import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { clueForm, type SharedMessage } from '../commands/clues.ts';
import type { Caller } from '../commands/rights.ts';
import { ticketIn } from '../commands/ticket-links.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import {
  after,
  escapeMrkdwn,
  notice,
  stillWorking,
  visitorNamed,
  type Message,
} from '../messages/message.ts';
import { formModal } from '../messages/modal.ts';
import { Permalink } from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { MODAL_TITLE, inModal, messagePlace, openLoading, updateModal } from './answer-places.ts';
import type { Edge } from './interactions.ts';
import type { MessageShortcutPayload, ModalContext } from './payloads.ts';

/** The keys of blocks and attachments that hold text for people. */
const TEXT_KEYS = new Set(['text', 'fallback', 'title', 'pretext', 'value', 'url', 'title_link', 'from_url']);

/** What makes one paragraph of rich text: a piece of a word in another style, or one that Slack took for a link, is no word. */
const Paragraph = z.object({
  type: z.enum(['rich_text_section', 'rich_text_preformatted', 'rich_text_quote']),
  elements: z.array(
    z
      .union([
        z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }) => escapeMrkdwn(text)),
        z
          .object({ type: z.literal('link'), url: z.string(), text: z.string().default('') })
          .transform(({ url, text }) => `<${escapeMrkdwn(url)}|${escapeMrkdwn(text)}>`),
      ])
      .catch(' '),
  ),
});

function textsIn(value: unknown, depth = 0): string[] {
  if (depth > 12 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => textsIn(entry, depth + 1));
  const paragraph = Paragraph.safeParse(value);
  if (paragraph.success) return [paragraph.data.elements.join('')];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (TEXT_KEYS.has(key) ? [inner] : []) : textsIn(inner, depth + 1),
  );
}

const plainText = z.string().transform(escapeMrkdwn).catch('');
/** An email that was forwarded to Slack. Source: docs.slack.dev/reference/objects/file-object, `mode` "email". */
const Mail = z
  .object({
    from: z.array(z.object({ address: z.string() })).min(1),
    subject: plainText,
    title: plainText,
    plain_text: plainText,
    preview_plain_text: plainText,
  })
  .transform(({ from, subject, title, plain_text: text, preview_plain_text: preview }) => ({
    head: [...from.map(({ address }) => `<mailto:${escapeMrkdwn(address)}>`), subject, title],
    // Slack cuts a preview off anywhere.
    body: text === '' && preview !== '' ? `${preview}…` : text,
  }));
const Mails = z
  .array(Mail.nullable().catch(null))
  .catch([])
  .transform((mails) => mails.filter((mail) => mail !== null));
const Shared = z.array(z.object({ files: Mails }).catch({ files: [] })).catch([]);

/** The text of the message a shortcut was used on; helpdesk apps put theirs into blocks or attachments. */
export function sharedMessage({ message }: MessageShortcutPayload): SharedMessage {
  const { text, blocks, attachments, files, user, bot_id: botId } = message;
  const mails = [...Mails.parse(files), ...Shared.parse(attachments).flatMap((shared) => shared.files)];
  const all = [...mails.flatMap(({ head }) => head), text, ...textsIn(blocks), ...textsIn(attachments)];
  return {
    text: all.filter((part) => typeof part === 'string').join('\n'),
    quoted: mails.map(({ body }) => body).join('\n'),
    authorId: botId !== undefined || user?.startsWith('USLACK') === true ? undefined : user,
  };
}

/** Undefined if Slack gives none. Source: chat.getPermalink. */
export async function messageAddress(client: WebClient, context: ModalContext): Promise<string | undefined> {
  const { channelId, messageTs } = context;
  if (channelId === undefined || messageTs === undefined) return undefined;
  // There's none if the app isn't in the channel; the search goes on without it.
  const answer = await client.chat
    .getPermalink({ channel: channelId, message_ts: messageTs })
    .catch(() => undefined);
  return Permalink.safeParse(answer).data?.permalink;
}

const notesBegin = notice(['The session notes will start with a link to this message.']);

const leadsToWatch = ({ blocks }: Message) => blocks.some(({ type }) => type === 'actions');

async function ticketOf({ text }: SharedMessage, workspace: Workspace): Promise<string | undefined> {
  const { ticketPrefixes } = await workspace.settings();
  return ticketIn(text, ticketPrefixes, workspace.linkHosts);
}

async function ownVisitor({ message: { bot_id, blocks } }: MessageShortcutPayload, workspace: Workspace) {
  const named = visitorNamed(blocks.flatMap(({ block_id: id }) => (id === undefined ? [] : [id])));
  if (named === undefined || bot_id === undefined) return undefined;
  const app = await workspace.installedAs().catch(() => undefined);
  return app?.botId === bot_id ? named : undefined;
}

/** A message shortcut: a loading modal within Slack's three seconds, then a form or the answer in it. */
export function takeShortcut(
  { catalog, ifAllowed, answerer }: Edge,
  payload: MessageShortcutPayload,
  asker: Caller,
): void {
  const { callback_id: shortcutId, message } = payload;
  const { workspace, channelId, threadTs } = asker;
  const { slack } = workspace;
  const found = catalog.shortcut(shortcutId);
  let context: ModalContext = { channelId, threadTs, shortcut: shortcutId, messageTs: message.ts };
  const frame = () => ({ title: found?.shortcut.title ?? MODAL_TITLE, context: JSON.stringify(context) });
  const modal = openLoading(slack, payload, frame());
  answerer.take(asker, {
    name: `shortcut ${found === undefined ? 'unknown' : shortcutId}`,
    async work(settle) {
      if (found === undefined) return outdatedForm;
      const { command, shortcut } = found;
      const { ofVisitor } = shortcut;
      const shared = sharedMessage(payload);
      const offersNotes = shortcut.offersNotes && workspace.cobrowse.offers.initialNotes;
      const ticketUrl = shortcut.offersNotes ? await ticketOf(shared, workspace) : undefined;
      context = { ...context, ticketUrl };
      const { all: clues, clear } = shortcut.clues(shared);
      const visitorId = ofVisitor && (await ownVisitor(payload, workspace));
      if (visitorId === undefined && clear === undefined) {
        await settle();
        const form = clueForm(shortcut, clues, offersNotes);
        await updateModal(slack, await modal, formModal(frame(), 'shortcut_form', form));
        return undefined;
      }
      const notes = offersNotes ? await messageAddress(slack, context) : undefined;
      const by = { ...asker, ticketUrl, notes };
      const answer =
        visitorId !== undefined && ofVisitor !== undefined
          ? await ifAllowed(ofVisitor, visitorId, by)
          : await command.run(clear ?? '', by, ifAllowed);
      if (notes !== undefined) context = { ...context, notes };
      return notes !== undefined && leadsToWatch(answer) ? after(answer, notesBegin) : answer;
    },
    // If the modal didn't open, the words still reach the person.
    deliver: (words) => inModal(slack, modal, frame(), messagePlace(payload, asker))(words),
    meanwhile: stillWorking,
  });
}
