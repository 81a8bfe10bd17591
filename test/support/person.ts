import type { Button, KnownBlock } from '@slack/types';
import type { PageMessage, PageView, Snapshot } from '../../src/sandbox/slack/page-api.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { blockKitProblems } from '../../src/sandbox/slack/block-kit.ts';

export const ALEX = 'U0ALEX00001';
export const SAM = 'U0SAM000002';
export const KIM = 'U0KIM000003';
export const SUPPORT = 'C0SUPPORT01';
export const SALES = 'C0SALES0002';

/** All text a person reads in these blocks. */
export function readable(blocks: readonly KnownBlock[]): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'text' && typeof inner === 'string') texts.push(inner);
        else if (key === 'user_id' && typeof inner === 'string') texts.push(`<@${inner}>`);
        else if (key !== 'value' && key !== 'action_id' && key !== 'url') collect(inner);
      }
    }
  };
  collect(blocks);
  return texts.join('');
}

export function buttonsIn(
  blocks: readonly KnownBlock[],
): readonly (Button & { readonly block_id: string })[] {
  return blocks.flatMap((block) =>
    block.type === 'actions'
      ? block.elements.flatMap((inner) =>
          inner.type === 'button' ? [{ ...inner, block_id: block.block_id ?? '' }] : [],
        )
      : [],
  );
}

function element(blocks: readonly KnownBlock[], label: RegExp) {
  const found = buttonsIn(blocks).find(({ text, accessibility_label: name }) =>
    label.test(name ?? text.text),
  );
  if (found === undefined) throw new Error(`No button ${String(label)} in: ${readable(blocks)}`);
  return found;
}

/** A person at the sandbox page, without a browser. Each message seen must pass the Block Kit validator. */
export function personIn(sandbox: Sandbox, userId: string = ALEX, channelId: string = SUPPORT) {
  const { slack } = sandbox;

  function newest(snapshot: Snapshot, seen: ReadonlySet<string>): PageMessage | undefined {
    return snapshot.messages.findLast(({ ts, channel }) => channel === channelId && !seen.has(ts));
  }

  /** Does something and gives the message that it led to. */
  async function seeing(deed: () => Promise<unknown>): Promise<PageMessage> {
    const seen = new Set(slack.snapshot(userId).messages.map(({ ts }) => ts));
    await deed();
    const message = await slack.until(userId, (snapshot) => newest(snapshot, seen));
    const problems = blockKitProblems('message', { text: message.text, blocks: message.blocks });
    if (!message.from_slack && problems.length > 0) throw new Error(problems.join('\n'));
    return message;
  }

  return {
    /** Types a command and gives the answer. */
    type: (text: string) => seeing(() => slack.command({ as: userId, channel: channelId, text })),
    say: (text: string) => seeing(() => slack.message({ as: userId, channel: channelId, text })),
    button: (message: PageMessage | PageView, label: RegExp) => element(message.blocks, label),
    /** Presses a button; Slack's own confirmation is the page's business. */
    async press(message: PageMessage, label: RegExp): Promise<void> {
      const { block_id, action_id = '' } = element(message.blocks, label);
      const source = { type: 'message', channel: message.channel, ts: message.ts } as const;
      const outcome = await slack.press({ as: userId, source, block_id, action_id });
      if (!outcome.ok) throw new Error(outcome.error);
    },
    pressFor(message: PageMessage, label: RegExp): Promise<PageMessage> {
      return seeing(() => this.press(message, label));
    },
    async pressInModal(view: PageView, label: RegExp): Promise<void> {
      const { block_id, action_id = '' } = element(view.blocks, label);
      await slack.press({
        as: userId,
        source: { type: 'view', view_id: view.id },
        block_id,
        action_id,
      });
    },
    /** Opens a message shortcut; gives the first modal that `look` accepts. */
    async shortcut(
      message: PageMessage,
      callbackId: string,
      look: (view: PageView) => boolean,
    ): Promise<PageView> {
      await slack.shortcut({
        as: userId,
        channel: message.channel,
        message_ts: message.ts,
        callback_id: callbackId,
      });
      return this.modal(look);
    },
    modal: (look: (view: PageView) => boolean): Promise<PageView> =>
      slack.until(userId, ({ views }) => views.find((view) => look(view))),
    message: (look: (message: PageMessage) => boolean): Promise<PageMessage> =>
      slack.until(userId, ({ messages }) => messages.find((message) => look(message))),
    messages: () => slack.snapshot(userId).messages,
    /** A message already in the channel. */
    existing(words: RegExp): PageMessage {
      const found = slack.snapshot(userId).messages.find(({ text }) => words.test(text));
      if (found === undefined) throw new Error(`No message with ${String(words)}`);
      return found;
    },
  };
}
