import type { App } from '@slack/bolt';
import { commandOf, runText } from '../commands/run-text.ts';
import type { Services } from '../commands/services.ts';
import type { Answerer } from './answer.ts';
import { callerOfCommand } from './callers.ts';
import { listenForForms } from './form-listeners.ts';
import type { IsOwnBot } from './installed-as.ts';
import { CommandPayload } from './payloads.ts';
import { listenForPresses } from './press-listeners.ts';
import type { ReadPayload } from './read-payload.ts';
import { replyPrivately } from './reply.ts';
import { listenForShortcuts } from './shortcut-listeners.ts';

/** What the listeners need; `warm` fills the cache for the press that will follow. */
export interface ListenerParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly isOwnBot: IsOwnBot;
  readonly read: ReadPayload;
  readonly warm: (workspaceId: string, userId: string) => void;
  /** Told of what failed where Slack shows no words of ours. */
  readonly report: (error: unknown) => void;
}

/** Registers one listener for each kind of request. Each acknowledges first, then lets the answerer work. */
export function listen(app: App, parts: ListenerParts): void {
  const { services, answerer, warm, read } = parts;

  app.command(/.*/, async ({ ack, body, client }) => {
    await ack();
    const payload = read('command', CommandPayload, body);
    if (payload === undefined) return;
    const caller = callerOfCommand(payload);
    const { workspaceId, userId } = caller;
    const reply = {
      client,
      responseUrl: payload.response_url,
      userId,
      channelId: payload.channel_id,
      replace: false,
    };
    warm(workspaceId, userId);
    answerer.take({
      name: `command ${commandOf(payload.text)?.name ?? 'help'}`,
      workspaceId,
      userId,
      work: () => runText(payload.text, caller, services),
      deliver: (message) => replyPrivately(reply, message),
      stillWorking: (message) => replyPrivately(reply, message),
    });
  });

  listenForPresses(app, parts);
  listenForShortcuts(app, parts);
  listenForForms(app, parts);
}
