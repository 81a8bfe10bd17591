import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../../sandbox/slack/page-api.ts';
import { ADA, atHome } from '../../home/at-home.ts';
import { isForm } from '../../slack/forms.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { onlySqlite, engines } from '../../support/engines.ts';
import { ALEX, SAM, SUPPORT, anotherLink, personIn, readable } from '../../support/person.ts';
import { sentFile } from '../../support/sent-file.ts';
import { askColleague } from '../../team/asking.ts';
import { teamStage } from '../../team/stage.ts';

const SHARED = 'C0SHARED004';
const DESK = 'https://acme.zendesk.com/agent/tickets';
const SECRET = 'token=4242';
const NOT_ONE = 'That link isn’t a ticket address, so I left it out.';

/** Where the links of blocks lead that are named so. */
const linked = (blocks: unknown) =>
  Array.from(
    JSON.stringify(blocks).matchAll(/"type":"link","url":"(https:\/\/acme\.zendesk[^"]*)"/g),
    ([, url]) => url,
  );
const ticketOf = ({ text }: PageMessage) => /^Ticket: (.+)$/m.exec(text)?.[1];
const hasTicket = ({ blocks }: Pick<PageMessage, 'blocks'>) => readable(blocks).includes('Ticket: ');

describe.each(engines)('a ticket’s link, in $engine', (engine) => {
  const { clock, sandbox, logLines, person, endSessionOf } = teamStage(engine);
  const personAt = (channelId = SUPPORT, userId = ALEX) => person(userId, channelId);

  const withTicket = (number: string, words: string, channelId = SUPPORT) =>
    personAt(channelId).message(({ text }) => text.includes(`tickets/${number}`) && text.includes(words));
  /** What the file has of the newest session. */
  async function inFile(): Promise<unknown> {
    await personAt().type('/cobrowse sessions json');
    return JSON.parse(sentFile(sandbox()).split('\n')[0] ?? '');
  }
  const ENDED = 'Co-browsing session ended';

  /** The search is as it is without that address. */
  async function expectLeftOut(address: string): Promise<void> {
    const answer = await personAt().type(`/cobrowse jane4821 ${address}`);
    expect(answer.text).toContain(NOT_ONE);
    expect(answer.text).toContain('Jane Cooper');
    expect(ticketOf(answer)).toBeUndefined();
  }

  it('is none until an admin says what it begins with, and left out in words where nothing says which ticket it is', async () => {
    await expectLeftOut(`${DESK}/1`);
    const ada = atHome(sandbox(), ADA);
    expect(readable(await ada.open())).toContain('Ticket addresses: none');
    const form = await ada.pressFor(/^Change: Ticket addresses/, /one per line/);
    const home = await ada.saved(form, { addresses: DESK });
    expect(readable(home)).toContain(`Ticket addresses: ${DESK}/`);
    await expectLeftOut(`${DESK}/filter?${SECRET}`);
  });

  it('goes from the command to the card, the summary, the list and the file', async () => {
    const alex = personAt();
    const answer = await alex.type(`/cobrowse jane4821 ${DESK}/42?${SECRET}&a=1#last`);
    expect(answer.text).not.toContain(NOT_ONE);
    expect(ticketOf(answer)).toBe('acme.zendesk.com/agent/tickets/42');
    expect(linked(answer.blocks)).toEqual([`${DESK}/42`]);
    const opened = await alex.watch(answer);
    const card = await withTicket('42', 'asked to see');
    expect(linked(card.blocks)).toEqual([`${DESK}/42`]);
    await endSessionOf(opened);
    const summary = await withTicket('42', ENDED);
    expect(summary.ts).toBe(card.ts);
    expect(linked(summary.blocks)).toEqual([`${DESK}/42`]);
    expect(ticketOf(await alex.pressFor(summary, /^Watch again/))).toContain('/42');

    const list = await alex.type('/cobrowse sessions');
    expect(list.text).toMatch(/ · Ticket(?: · Summary)?$/m);
    expect(linked(list.blocks)).toEqual([`${DESK}/42`]);
    expect(await inFile()).toMatchObject({ visitorId: 'jane4821', ticket: `${DESK}/42` });
    // Neither Slack nor the service, nor any log, gets what was dropped; the service gets none of it.
    expect(JSON.stringify(sandbox().slack.calls)).not.toContain(SECRET);
    expect(logLines.join('\n')).not.toMatch(new RegExp(`${SECRET}|tickets/42`));
    expect(JSON.stringify(sandbox().service.requests.map(({ body }) => body))).not.toContain('zendesk');
  });

  it('is in the audit log by its host alone', async () => {
    const entry = logLines.find((line) => line.includes('"action":"link"') && line.includes('zendesk'));
    expect(JSON.parse(entry ?? '{}')).toMatchObject({ audit: { detail: { ticket: 'acme.zendesk.com' } } });
    expect(entry).not.toContain('tickets/42');
    const audit = await personAt(SUPPORT, ADA).type('/cobrowse audit');
    expect(audit.text).toContain('’s screen (full control), for a ticket on acme.zendesk.com');
    expect(audit.text).toContain(`changed Ticket addresses from none to ${DESK}/`);
  });

  it('goes to the next page, to a customer’s details, through Retry, and to each command that leads to Watch', async () => {
    const alex = personAt();
    const list = await alex.type(`/cobrowse find shop ${DESK}/7`);
    expect(ticketOf(list)).toContain('/7');
    expect(ticketOf(await alex.pressToReplace(list, /^Next/))).toContain('/7');
    const several = await alex.type(`/cobrowse visitor shop ${DESK}/7`);
    expect(ticketOf(await alex.pressFor(several, /^Details/))).toContain('/7');
    for (const typed of ['jane4821', 'watch jane4821', 'visitor jane4821']) {
      sandbox().service.misbehave({ fail: { with: 503 } });
      const failed = await alex.type(`/cobrowse ${typed} ${DESK}/8`);
      sandbox().service.misbehave({});
      expect(ticketOf(failed)).toBeUndefined();
      expect(ticketOf(await alex.pressToReplace(failed, /^Retry/))).toContain('/8');
    }
  });

  it('is left out where another organization can read along, also of the list and the file', async () => {
    const alex = personAt(SHARED);
    const answer = await alex.type(`/cobrowse visitor priya55 ${DESK}/5`);
    const opened = await alex.watch(answer);
    const there = (words: string) =>
      alex.message(({ text, channel }) => channel === SHARED && text.includes(words));
    expect(ticketOf(await there('asked to see'))).toBeUndefined();
    await endSessionOf(opened);
    const summary = await there(ENDED);
    expect(JSON.stringify(summary)).not.toContain('zendesk');
    const list = await personAt().type('/cobrowse sessions');
    expect(list.text).toMatch(/- .*priya55/);
    expect(linked(list.blocks)).toEqual([`${DESK}/42`]);
    expect((await alex.type('/cobrowse sessions')).text).not.toContain('Ticket');
    const shared = await inFile();
    expect(shared).toMatchObject({ visitorId: 'priya55' });
    expect(shared).not.toHaveProperty('ticket');
  });

  it('is in the reminder to follow up, and in the list', async () => {
    const alex = personAt();
    const form = await alex.chooseFollowUp(await withTicket('42', ENDED));
    await alex.fillFollowUp(form, { when: 'tomorrow' });
    await sandbox().slack.closeView({ as: ALEX, view_id: form.id });
    expect(ticketOf(await alex.type('/cobrowse followups'))).toContain('/42');
    clock.aheadMs += 3 * 24 * 60 * 60_000;
    // Its card wakes the outbox, which sleeps by the machine's clock.
    await alex.watch(await alex.type('/cobrowse watch jane4821'));
    const reminder = await alex.message(({ text }) => text.includes('Time to follow up with'));
    expect(linked(reminder.blocks)).toEqual([`${DESK}/42`]);
    const inMessages = personAt(reminder.channel);
    for (const button of [/^Watch/, /^Details/])
      expect(ticketOf(await inMessages.pressFor(reminder, button))).toContain('/42');
  });

  it('is found in a message by the shortcut, and stays through its form', async () => {
    const alex = personAt();
    const message = await alex.say(
      `New comment on https://evil.example/agent/tickets/1 and ${DESK}/77?${SECRET} from Priya`,
    );
    const form = await alex.shortcut(message, 'find_visitor', isForm);
    await alex.submit(form, 'priya');
    const results = await alex.modal((view) => view.id === form.id && hasTicket(view));
    expect(linked(results.blocks)).toEqual([`${DESK}/77`]);
    const opened = await alex.watch(results);
    const card = await withTicket('77', 'asked to see');
    expect(card.thread_ts).toBe(message.ts);
    await endSessionOf(opened);
    const summary = await withTicket('77', 'Priya Natarajan with ');
    expect(summary.thread_ts).toBe(message.ts);
  });

  it('is found at once where the message has one email, and goes along at its longest', async () => {
    const alex = personAt();
    const number = '4'.repeat(400 - DESK.length - 1);
    const message = await alex.say(`priya@vandelay.example wrote in ${DESK}/${number}`);
    const results = await alex.shortcut(message, 'find_visitor', hasTicket);
    await anotherLink(await alex.watch(results));
    const card = await withTicket('444', 'asked to see');
    expect(linked(card.blocks)).toEqual([`${DESK}/${number}`]);
    expect(ticketOf(card)).toHaveLength(80);
  });

  it('is a colleague’s, too, who is asked to look', async () => {
    const alex = personAt();
    await alex.watch(await alex.type(`/cobrowse watch noah ${DESK}/90`));
    const card = await withTicket('90', 'asked to see');
    await askColleague(sandbox(), { as: ALEX, shown: card, colleague: SAM });
    const asked = await personAt(SUPPORT, SAM).message(({ text }) => text.includes('asks you to look at'));
    const sam = personAt(asked.channel, SAM);
    expect(ticketOf(await sam.pressFor(asked, /^More options/))).toContain('/90');
    await sam.watch(asked);
    await sam.message(({ text }) => text.startsWith('Sam Lee asked to see') && text.includes('/90'));
  });

  // From then on Alex counts as somebody whose phone doesn't report presses.
  it('goes with a button that comes as a message', async () => {
    const alex = personAt();
    const address = alex.button(await alex.type(`/cobrowse watch Xq9Z ${DESK}/67`), /^Watch/).url ?? '';
    const sent = await alex.see(() => fetch(address, { method: 'POST' }));
    await alex.pressToReplace(sent, /^Get my link/);
    expect(linked((await withTicket('67', 'asked to see')).blocks)).toEqual([`${DESK}/67`]);
  });
});

describe.each(onlySqlite)('a ticket’s link without a public address', () => {
  const { sandbox } = checkedSandbox({ socketMode: true });

  it('goes with the press', async () => {
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    const form = await ada.pressFor(/^Change: Ticket addresses/, /one per line/);
    await ada.saved(form, { addresses: DESK });
    const alex = personIn(sandbox());
    const offer = await alex.type(`/cobrowse watch jane4821 ${DESK}/42`);
    // Its choices have no room for the ticket.
    expect(JSON.stringify(offer.blocks)).not.toContain('overflow');
    await alex.pressToReplace(offer, /^Watch/);
    const card = await alex.message(({ text }) => text.includes('asked to see'));
    expect(linked(card.blocks)).toEqual([`${DESK}/42`]);
  });
});
