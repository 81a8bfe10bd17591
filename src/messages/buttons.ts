import type { Button } from '@slack/types';
import { ACTION } from './action-ids.ts';
import { LIMITS, short } from './text.ts';

/** A button: `actionId` names what it does, `value` carries the data. */
export interface ButtonWords {
  readonly text: string;
  readonly actionId: string;
  readonly value: string;
  /** For screen readers: the text, and what it's about. */
  readonly label: string;
  readonly style?: 'primary' | 'danger';
  /** Also opens this address. */
  readonly url?: string;
  /** Asked before a press that ends or removes something. */
  readonly confirm?: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  };
}

const plain = (text: string, longest: number) =>
  ({ type: 'plain_text', text: short(text, longest), emoji: false }) as const;

export function button(words: ButtonWords): Button {
  return {
    type: 'button',
    action_id: words.actionId,
    text: plain(words.text, LIMITS.buttonText),
    value: words.value,
    accessibility_label: short(words.label, LIMITS.accessibilityLabel),
    ...(words.style === undefined ? {} : { style: words.style }),
    ...(words.url === undefined ? {} : { url: words.url }),
    ...(words.confirm === undefined
      ? {}
      : {
          confirm: {
            title: plain(words.confirm.title, 100),
            text: plain(words.confirm.text, LIMITS.confirmText),
            confirm: plain(words.confirm.yes, 30),
            deny: plain(words.confirm.no, 30),
            style: 'danger' as const,
          },
        }),
  };
}

/** Opens the form that asks for the customer, the access and where the summary goes. */
export const startButton = (text: string): Button =>
  button({
    text,
    actionId: ACTION.start,
    value: 'start',
    label: 'Start co-browsing with a customer',
    style: 'primary',
  });
