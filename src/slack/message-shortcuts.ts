import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Caller, IfAllowed } from '../commands/rights.ts';
import type { ShortcutCommand } from '../commands/catalog.ts';
import type { SharedMessage } from '../commands/clues.ts';
import { namelessIn, ticketIn } from '../commands/ticket-links.ts';
import { after, notice, stillBusy, visitorNamed, type Message } from '../messages/message.ts';
import { messageModal, shortcutFormModal } from '../messages/modal.ts';
import { escapeMrkdwn } from '../messages/text.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import { Permalink } from '../workspaces/web-client.ts';
import type { App } from '../parts.ts';
import { openLoading, replyPrivately } from './answer-places.ts';
import type { Question } from './answer.ts';
import type { MessageShortcutPayload, ModalContext } from './payloads.ts';

/** The keys of blocks and attachments that hold text for people. */
const TEXT_KEYS = new Set(['text', 'fallback', 'title', 'pretext', 'value', 'url', 'title_link', 'from_url']);
const DEEPEST = 12;

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
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return [];
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

/** The address of the message a shortcut was used on; undefined if Slack gives none. Source: chat.getPermalink. */
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

function frameOf(found: ShortcutCommand | undefined, context: ModalContext) {
  return { title: found?.shortcut.title ?? 'Co-browse', context: JSON.stringify(context) };
}

/** The ticket that a message links to, or why its link to the helpdesk counts for nothing. */
async function ticketOf({ text }: SharedMessage, workspace: Caller['workspace']) {
  const { ticketPrefixes } = await workspace.settings();
  const ticketUrl = ticketIn(text, ticketPrefixes, workspace.linkHosts);
  return { ticketUrl, why: ticketUrl === undefined ? namelessIn(text, ticketPrefixes) : undefined };
}

/** The visitor that a message of this app is about. */
async function ownVisitor(
  workspaceId: string,
  { message: { bot_id, blocks } }: MessageShortcutPayload,
  isOwnBot: App['isOwnBot'],
): Promise<string | undefined> {
  const named = visitorNamed(blocks.flatMap(({ block_id: id }) => (id === undefined ? [] : [id])));
  return named !== undefined && bot_id !== undefined && (await isOwnBot(workspaceId, bot_id))
    ? named
    : undefined;
}

/** A message shortcut: a loading modal within Slack's three seconds, then a form or the answer in it. */
export function shortcutPlace(
  payload: MessageShortcutPayload,
  asker: Caller & { readonly channelId: string; readonly threadTs: string },
  found: ShortcutCommand | undefined,
  ifAllowed: IfAllowed,
  isOwnBot: App['isOwnBot'],
): Pick<Question, 'work' | 'deliver' | 'meanwhile'> {
  const { workspace, workspaceId, userId, channelId, threadTs } = asker;
  const client = workspace.slack;
  let context: ModalContext & { readonly shortcut: string } = {
    channelId,
    threadTs,
    shortcut: payload.callback_id,
    messageTs: payload.message.ts,
  };
  let frame = frameOf(found, context);
  const { fill } = openLoading(client, payload.trigger_id, frame);
  const reply = { workspace, responseUrl: payload.response_url, userId, channelId, replace: false };
  return {
    async work(settle) {
      if (found === undefined) return outdatedForm;
      const { command, shortcut } = found;
      const { label, asksFor, ofVisitor } = shortcut;
      const shared = sharedMessage(payload);
      const offersNotes = shortcut.offersNotes && workspace.cobrowse.offers.initialNotes;
      const { ticketUrl, why } = shortcut.offersNotes ? await ticketOf(shared, workspace) : {};
      const caller = ticketUrl === undefined ? asker : { ...asker, ticketUrl };
      context = { ...context, ticketUrl };
      frame = frameOf(found, context);
      const { all: clues, clear } = shortcut.clues(shared);
      const visitorId =
        ofVisitor === undefined ? undefined : await ownVisitor(workspaceId, payload, isOwnBot);
      if (visitorId === undefined && clear === undefined) {
        await settle();
        await fill(shortcutFormModal(frame, { label, asksFor, clues, offersNotes }, why));
        return undefined;
      }
      const notes = offersNotes ? await messageAddress(client, context) : undefined;
      if (notes !== undefined) frame = frameOf(found, { ...context, notes });
      const by = notes === undefined ? caller : { ...caller, notes };
      const shown =
        visitorId !== undefined && ofVisitor !== undefined
          ? await ifAllowed(ofVisitor, visitorId, by)
          : await command.run(clear?.argument ?? '', by, ifAllowed);
      const answer = why === undefined ? shown : after(why, shown);
      return notes !== undefined && leadsToWatch(answer) ? after(answer, notesBegin) : answer;
    },
    // If the modal didn't open, the words still reach the person.
    deliver: (message) => fill(messageModal(frame, message)).catch(() => replyPrivately(reply, message)),
    meanwhile: stillBusy(found?.command),
  };
}
