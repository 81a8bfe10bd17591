/**
 * Slack's mrkdwn, without quotes, lists and preformatted text, read into a tree. It makes no HTML: `text-object.js` draws
 * the tree, so text can never become markup.
 *
 * @typedef {{ type: 'text', text: string }
 *   | { type: 'bold' | 'italic' | 'strike' | 'code', children: Inline[] }
 *   | { type: 'link', url: string, label: string }
 *   | { type: 'user' | 'channel', id: string, label: string }
 *   | { type: 'broadcast', range: string }
 *   | { type: 'group', id: string, label: string }
 *   | { type: 'date', timestamp: number, format: string, url: string, fallback: string }} Inline
 */
import { decodeEntities } from './entities.js';
import { readAngle } from './mrkdwn-angle.js';

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' };
const TOKEN = /<[^<>\n]+>|`[^`\n]+`|[*_~]/g;
const ANGLE = /<[^<>\n]+>/g;
const BARE_ADDRESS = /https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)"']/g;
const WORD = /[\p{L}\p{N}]/u;

/**
 * @param {string} text mrkdwn as Slack sends it
 * @returns {Inline[][]} its lines
 */
export function parseMrkdwn(text) {
  return text.split('\n').map(parseInline);
}

/**
 * One line's styles, mentions and links.
 * @param {string} line
 * @returns {Inline[]}
 */
function parseInline(line) {
  const nodes = [];
  let rest = 0;
  const take = (until) => nodes.push(...parsePlain(line.slice(rest, until)));
  for (const match of line.matchAll(TOKEN)) {
    const start = match.index;
    if (start < rest) continue;
    const node = readToken(line, match[0], start);
    if (node === null) continue;
    take(start);
    nodes.push(node.inline);
    rest = node.end;
  }
  take(line.length);
  return nodes;
}

/** @param {string} line @param {string} token @param {number} start */
function readToken(line, token, start) {
  const end = start + token.length;
  if (token.startsWith('<')) {
    const inline = readAngle(token.slice(1, -1));
    return inline && { inline, end };
  }
  if (token.startsWith('`')) {
    return { inline: { type: 'code', children: parseAngles(token.slice(1, -1)) }, end };
  }
  const close = opens(line, start) ? findClose(line, token, start) : -1;
  if (close === -1) return null;
  return {
    inline: { type: STYLES[token], children: parseInline(line.slice(end, close)) },
    end: close + 1,
  };
}

/** @param {string} line @param {number} at */
function opens(line, at) {
  const before = line[at - 1] ?? ' ';
  const after = line[at + 1] ?? ' ';
  return !WORD.test(before) && /\S/.test(after) && after !== line[at];
}

/** @param {string} line @param {string} mark @param {number} start */
function findClose(line, mark, start) {
  for (const match of line.slice(start + 1).matchAll(TOKEN)) {
    const at = start + 1 + match.index;
    if (match[0] !== mark || at === start + 1) continue;
    if (/\S/.test(line[at - 1] ?? ' ') && !WORD.test(line[at + 1] ?? ' ')) return at;
  }
  return -1;
}

/** @param {string} text Code: no styles, but Slack still reads angle brackets there. */
function parseAngles(text) {
  const nodes = [];
  let rest = 0;
  for (const match of text.matchAll(ANGLE)) {
    const node = readAngle(match[0].slice(1, -1));
    if (node === null) continue;
    nodes.push(...plain(text.slice(rest, match.index)), node);
    rest = match.index + match[0].length;
  }
  return [...nodes, ...plain(text.slice(rest))];
}

/** @param {string} text Text without marks: Slack turns bare addresses into links. */
function parsePlain(text) {
  const nodes = [];
  let rest = 0;
  for (const match of text.matchAll(BARE_ADDRESS)) {
    const url = decodeEntities(match[0]);
    nodes.push(...plain(text.slice(rest, match.index)), { type: 'link', url, label: url });
    rest = match.index + match[0].length;
  }
  return [...nodes, ...plain(text.slice(rest))];
}

/** @param {string} text @returns {Inline[]} */
function plain(text) {
  return text === '' ? [] : [{ type: 'text', text: decodeEntities(text) }];
}
