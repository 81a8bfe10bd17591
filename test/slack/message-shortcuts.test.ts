import { describe, expect, it } from 'vitest';
import { emailClues, visitorClues } from '../../src/commands/clues.ts';
import { ticketIn } from '../../src/commands/ticket-links.ts';
import { MessageShortcutPayload } from '../../src/slack/payloads.ts';
import { sharedMessage } from '../../src/slack/message-shortcuts.ts';

const TICKET = 'https://acme.zendesk.com/agent/tickets/42';

describe('the message a shortcut is used on', () => {
  const base = {
    callback_id: 'find_visitor',
    trigger_id: '1.2.3',
    team: { id: 'T1' },
    user: { id: 'U1' },
    channel: { id: 'C1' },
    response_url: 'https://hooks.slack.com/actions/T1/1/x',
  };
  const read = (message: object) =>
    sharedMessage(MessageShortcutPayload.parse({ ...base, message: { ts: '1.000001', ...message } }));

  it('is read with the text in its attachments and nested blocks', () => {
    const attachments = [
      { fallback: 'Ticket', title: 'Ticket 7', fields: [{ title: 'Requester', value: 'a@one.example' }] },
      { blocks: [{ type: 'section', fields: [{ text: '<mailto:b@two.example|b@two.example>' }] }] },
      { blocks: [{ type: 'context', elements: [{ type: 'plain_text', text: 'lookup code 4821' }] }] },
      { title_link: 'https://dashboard.example/visitors/Xq9Z' },
    ];
    const clues = visitorClues(read({ text: '', attachments })).all;
    expect(clues).toEqual(['a@one.example', 'b@two.example', '4821', 'Xq9Z']);
  });

  it.each([
    { text: `<${TICKET}|Ticket>` },
    { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `<${TICKET}>` } }] },
    { blocks: [{ type: 'rich_text', elements: [{ elements: [{ type: 'link', url: TICKET }] }] }] },
    { attachments: [{ title: 'Ticket', title_link: TICKET }] },
    { attachments: [{ from_url: TICKET, fallback: 'Zendesk' }] },
  ])('is read with its links, wherever they are: %j', (message) => {
    const { text } = read(message);
    expect(ticketIn(text, ['https://acme.zendesk.com/agent/tickets/'], [])).toBe(TICKET);
  });

  it('is read with a paragraph of rich text as one, whatever its styles and links', () => {
    const elements = [
      { type: 'text', text: "from pat.o'", style: { bold: true } },
      { type: 'link', url: 'mailto:brien@example.test', text: 'brien@example.test' },
      { type: 'text', text: ', order 1' },
      { type: 'text', text: '4821', style: { italic: true } },
      { type: 'user', user_id: 'U1' },
    ];
    const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
    const whole = "pat.o'brien@example.test";
    expect(visitorClues(read({ blocks }))).toMatchObject({ all: [whole], clear: whole });
  });

  it('is read with who wrote an email that was forwarded, and what it says', () => {
    const mail = {
      mode: 'email',
      from: [{ address: "pat.o'brien@example.test", name: 'Pat' }],
      to: [{ address: 'support@acme.com' }],
      subject: 'Code 4821',
      plain_text: null,
      preview_plain_text: 'Regards, also for sofia@globex.example and ji',
    };
    for (const message of [{ files: [null, mail] }, { attachments: [{ files: [mail] }] }]) {
      const { all } = visitorClues(read({ text: '', ...message }));
      expect(all).toEqual(["pat.o'brien@example.test", 'sofia@globex.example', '4821']);
      expect(emailClues(read({ text: '', ...message })).clear).toBe("pat.o'brien@example.test");
    }
    const from = [{ address: 'zoe@example.test' }];
    const cut = { ...mail, from, subject: '', preview_plain_text: 'Zoë, zoe@example.te' };
    expect(visitorClues(read({ files: [cut] })).clear).toBeUndefined();
  });

  it('has an author if a person wrote it, but not if a bot did', () => {
    expect(read({ user: 'U2' }).authorId).toBe('U2');
    for (const bot of [{}, { user: 'U2', bot_id: 'B1' }, { user: 'USLACKBOT' }, { user: 'USLACK' }])
      expect(read(bot).authorId).toBeUndefined();
  });

  it('is read at any depth, even without end', () => {
    let nested: object = { text: 'deepest@example.com' };
    for (let depth = 0; depth < 5_000; depth += 1) nested = { elements: [nested] };
    expect(read({ text: 'top', blocks: [nested] }).text).toBe('top');
  });
});
