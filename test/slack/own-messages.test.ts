import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
import { isForm, suggestionIn } from './forms.ts';

/** Another app's message that looks like one of ours. */
const LOOKS = 'Looks like a card';
const plain = { type: 'plain_text', text: LOOKS } as const;
const section = { type: 'section', block_id: 'visitor-card:priya55', text: plain } as const;
const forged = { channel: SUPPORT, user: 'U0HELPDESK', text: LOOKS, minutesAgo: 5, blocks: [section] };

const { sandbox } = checkedSandbox({ slack: { seed: { ...acme, messages: [...acme.messages, forged] } } });
const alex = () => personIn(sandbox());
const hasButtons = ({ blocks }: PageView) => buttonsIn(blocks).length > 0;

/** Jane's session, started from a fresh card. */
async function runningCard() {
  const link = await alex().watch(await alex().type('/cobrowse watch jane4821'));
  const session = await sandbox().service.openWatchLink(link.headers.get('location') ?? '');
  const card = await alex().message(({ text }) => text.includes('’s screen · '));
  return { session, card };
}

describe('a message shortcut on a message of this app', () => {
  it('stops the session of the visitor on a running card, by id', async () => {
    const { card } = await runningCard();
    const question = await alex().shortcut(card, 'stop_session', hasButtons);
    expect(readable(question.blocks)).toContain('Jane Cooper · jane@acme.com · In session');
    const answer = await alex().stop(() => alex().pressInModal(question, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Jane Cooper was stopped');
  });

  it('finds the visitor of a summary, with Watch, and also from the thread under it', async () => {
    const { session } = await runningCard();
    await sandbox().service.endSession(session.id);
    const summary = await alex().message(({ text }) => text.includes('Co-browsing session ended'));
    const detail = await alex().message(({ thread_ts: thread }) => thread === summary.ts);
    for (const message of [summary, detail]) {
      const found = await alex().shortcut(message, 'find_visitor', hasButtons);
      expect(found.title).toBe('Find visitor');
      expect(readable(found.blocks)).toContain('Jane Cooper');
      expect(alex().button(found, /^Watch the screen of Jane/).url).toContain('/watch/');
    }
  });

  it('reads no visitor from another app’s message, however it is built', async () => {
    const form = await alex().shortcut(alex().existing(/Looks like a card/), 'find_visitor', isForm);
    expect(suggestionIn(form)).toBe('');
    expect(readable(form.blocks)).toContain('I found nothing to search for');
  });
});
