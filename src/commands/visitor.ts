import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import type { Message } from '../views/message.ts';
import { visitorCard } from '../views/visitor-card.ts';
import { ifMayLook } from './allowed.ts';
import { defineCommand } from './command.ts';
import { definePress } from './press.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';
import { requiredText } from './slack-input.ts';

/** One visitor with all that is known, and what may be done. */
export function showVisitor(
  visitorId: string,
  caller: Caller,
  services: Uses<'cobrowse' | 'visitorTools' | 'mayAct' | 'record' | 'recording'>,
): Promise<Message> {
  const { cobrowse, recording } = services;
  return ifMayLook({ caller, services }, async (tools) => {
    const lookUp = () => cobrowse.visitor(visitorId, { withHistory: true });
    return visitorCard(await recording.lookUp(caller, visitorId, lookUp), tools);
  });
}

export const visitorCommand = defineCommand({
  name: 'visitor',
  usage: 'visitor <visitor id>',
  summary: 'Show what is known about one visitor.',
  argument: requiredText('Which visitor? The id is missing.'),
  run: showVisitor,
  presses: [
    definePress({ actionId: ACTION.visitor, answer: 'add', value: z.string().min(1), run: showVisitor }),
  ],
});
