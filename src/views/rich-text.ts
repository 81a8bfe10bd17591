import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextSection } from '@slack/types';
import { escapeMrkdwn } from './text.ts';

/*
 * Everything we say goes out as Slack's rich text: its text is never read as markup, so a visitor who calls itself
 * `<!channel>` or `*x*` is just that. The same pieces make the top-level text that a screen reader gets.
 */
type Style = { readonly bold?: true; readonly code?: true };

/** A part of a line. A plain string is plain text. */
export type Piece =
  | string
  | { readonly is: 'text'; readonly text: string; readonly style: Style }
  | { readonly is: 'date'; readonly at: Date }
  | { readonly is: 'link'; readonly url: string; readonly text: string }
  | { readonly is: 'user'; readonly userId: string }
  | { readonly is: 'group'; readonly groupId: string }
  | { readonly is: 'channel'; readonly channelId: string };

export type Line = readonly Piece[];

export const bold = (text: string): Piece => ({ is: 'text', text, style: { bold: true } });
export const code = (text: string): Piece => ({ is: 'text', text, style: { code: true } });
/** Shown in the reader's own time zone. */
export const date = (at: Date): Piece => ({ is: 'date', at });
export const link = (url: string, text: string): Piece => ({ is: 'link', url, text });
export const user = (userId: string): Piece => ({ is: 'user', userId });
/** A user group: for the Home and modals only, since a message would call every member of it. */
export const group = (groupId: string): Piece => ({ is: 'group', groupId });
export const channel = (channelId: string): Piece => ({ is: 'channel', channelId });

function utc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function richElement(piece: Exclude<Piece, string>): RichTextElement {
  switch (piece.is) {
    case 'text':
      return { type: 'text', text: piece.text, style: piece.style };
    case 'date':
      return {
        type: 'date',
        timestamp: Math.floor(piece.at.getTime() / 1_000),
        format: '{date_short_pretty} at {time}',
        fallback: utc(piece.at),
      };
    case 'link':
      return { type: 'link', url: piece.url, text: piece.text };
    case 'user':
      return { type: 'user', user_id: piece.userId };
    case 'group':
      return { type: 'usergroup', usergroup_id: piece.groupId };
    case 'channel':
      return { type: 'channel', channel_id: piece.channelId };
  }
}

/** Slack refuses a whole message for one empty text in it. */
function isEmpty(piece: Piece): boolean {
  return piece === '' || (typeof piece === 'object' && 'text' in piece && piece.text === '');
}

function section(lines: readonly Line[]): RichTextSection {
  const elements: RichTextElement[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) elements.push({ type: 'text', text: '\n' });
    for (const piece of line) {
      if (isEmpty(piece)) continue;
      elements.push(typeof piece === 'string' ? { type: 'text', text: piece } : richElement(piece));
    }
  }
  return { type: 'rich_text_section', elements };
}

/** A paragraph of lines. */
export function paragraph(lines: readonly Line[]): RichTextBlock {
  return { type: 'rich_text', elements: [section(lines)] };
}

/** A bulleted list, a line a point. */
export function bullets(lines: readonly Line[]): RichTextBlock {
  const list: RichTextBlockElement = {
    type: 'rich_text_list',
    style: 'bullet',
    elements: lines.map((line) => section([line])),
  };
  return { type: 'rich_text', elements: [list] };
}

function spoken(piece: Piece): string {
  if (typeof piece === 'string') return escapeMrkdwn(piece);
  switch (piece.is) {
    case 'text':
    case 'link':
      return escapeMrkdwn(piece.text);
    case 'date':
      return utc(piece.at);
    case 'user':
      return `<@${piece.userId}>`;
    case 'group':
      return `group ${escapeMrkdwn(piece.groupId)}`;
    case 'channel':
      return `<#${piece.channelId}>`;
  }
}

/** The line as top-level message text: escaped, without links. */
export function spokenLine(line: Line): string {
  return line.map(spoken).join('');
}
