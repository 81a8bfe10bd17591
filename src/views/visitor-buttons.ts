import type { Button } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { visitorName } from './visitor-pieces.ts';

/** Where a Watch button leads: an address whose opening makes the link, or a press that is answered with one. */
export type WatchTarget = { readonly url: string; readonly value: string } | { readonly value: string };

/** Makes the Watch target of a visitor for one caller; the caller is already inside. */
export type WatchTargetOf = (visitorId: string) => WatchTarget;

export function watchButton(visitor: Visitor, target: WatchTarget): Button {
  return button({
    text: 'Watch',
    actionId: ACTION.watch,
    label: `Watch the screen of ${visitorName(visitor)}`,
    style: 'primary',
    ...target,
  });
}

export function detailsButton(visitor: Visitor): Button {
  return button({
    text: 'Details',
    actionId: ACTION.visitor,
    value: visitor.short_id,
    label: `Details of ${visitorName(visitor)}`,
  });
}

export function stopButton(visitor: Visitor, text = 'Stop'): Button {
  const name = visitorName(visitor);
  return button({
    text,
    actionId: ACTION.stop,
    value: visitor.short_id,
    label: `Stop the session with ${name}`,
    ...(visitor.is_in_session === true ? { style: 'danger' as const } : {}),
    confirm: {
      title: 'Stop the session?',
      text: `This ends the co-browsing session with ${name} for everyone in it.`,
      yes: 'Stop session',
      no: 'Keep it',
    },
  });
}
