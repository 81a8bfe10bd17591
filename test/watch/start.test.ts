import { describe, expect, it } from 'vitest';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { openStart } from '../slack/forms.ts';
import { ALEX, SALES, SUPPORT, personIn, readable } from '../support/person.ts';
import { startAs } from './opening.ts';

const { sandbox } = checkedSandbox();
const channelIn = ({ blocks }: PageView) =>
  blocks.flatMap((block) =>
    block.type === 'input' && block.element.type === 'conversations_select'
      ? [block.element.initial_conversation]
      : [],
  )[0];

describe('the shortcut Start co-browsing', () => {
  it('chooses the channel that one is looking at', async () => {
    expect(channelIn(await openStart(sandbox(), SUPPORT))).toBe(SUPPORT);
  });

  it('gives a Watch button with the chosen access, whose card goes to the chosen channel', async () => {
    const alex = personIn(sandbox());
    const chosen = { visitor: 'jane4821', access: 'view', channel: SUPPORT };
    const offer = await startAs(sandbox(), ALEX, chosen);
    expect(readable(offer.blocks)).toContain('Access: view only');
    expect(JSON.stringify(offer.blocks)).toContain(SUPPORT);
    await alex.watch(offer);
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    expect(card.channel).toBe(SUPPORT);
    expect(card.text).toContain('View only.');
  });

  it('sends the summary by direct message where no channel was chosen', async () => {
    const alex = personIn(sandbox());
    const link = await alex.watch(await startAs(sandbox(), ALEX, { visitor: 'priya55' }));
    const session = await sandbox().service.openWatchLink(link.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    const dm = await alex.message(({ text }) => text.includes('session ended') && text.includes('Priya'));
    expect(dm.channel).toMatch(/^D/);
  });
});

describe('the shortcut Start co-browsing where a channel is set for summaries', () => {
  const withChannel = checkedSandbox({ summaryChannel: SALES });

  it('chooses that one', async () => {
    expect(channelIn(await openStart(withChannel.sandbox(), SUPPORT))).toBe(SALES);
  });
});
