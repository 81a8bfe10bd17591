import { SlackError, WebAPIRateLimitedError } from '@slack/web-api';
import { CobrowseError } from '../cobrowse/errors.ts';
import { PassingFailure } from '../commands/command.ts';
import type { Viewer } from '../commands/rights.ts';
import { DatabaseError } from '../database/database.ts';
import { createBackground } from '../lifecycle/concurrency.ts';
import type { Log } from '../logging/log.ts';
import {
  cobrowseFailureWords,
  connectFirst,
  failureMessage,
  installAgain,
  rightUnknownWords,
  slackAwayWords,
  storeFailureWords,
  tooLate,
  unexpectedFailureWords,
} from '../messages/failure-words.ts';
import { problem, withButton, type Message } from '../messages/message.ts';
import { LIMITS } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import { callFailure, isContentRefused, isTooLate } from './call-failure.ts';

/** Slack's date, as `spokenLine` writes it. Everything else in angle brackets is escaped. */
const DATE = /<!date\^\d{1,12}\^[^|<>]*\|([^<>]*)>/g;

/** With its dates written out, in UTC, for places where Slack doesn't show them by the reader's clock. */
export const writtenDates = (text: string): string => text.replaceAll(DATE, '$1');

const WITHOUT = 'Slack wouldn’t show this answer, so here it is as plain text, without buttons.';

/** An answer that Slack refused, as plain text, which it has no reason to refuse. */
export function plainAnswer({ text }: Message): Message {
  const whole = `${WITHOUT}\n\n${text}`;
  const shown = writtenDates(whole).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const cut =
    shown.length > LIMITS.sectionText ? `${shown.slice(0, LIMITS.sectionText - 1).toWellFormed()}…` : shown;
  return {
    text: whole.length > LIMITS.messageText ? WITHOUT : whole,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: cut, emoji: false } }],
  };
}

/** For people who may not have seen their answer. It may have been meant for another place, so this contains none of it. */
const answerNotShown: Message = problem(
  ['Slack didn’t confirm that you got the answer to your last request.'],
  ['If you don’t see it, try again. If this keeps happening, ask your admin to run “/cobrowse doctor”.'],
);

/** Slack accepts answers through a response URL for 30 minutes; a link that lives longer is replaced before that. */
const LATEST_REPLACEMENT_MS = 29 * 60 * 1_000;

export interface Question {
  /** For log and metrics: the command, button or shortcut, never what was typed. */
  readonly name: string;
  /** Undefined if no words are needed. Work that shows something itself calls `settle` first: then nothing else is shown. */
  readonly work: (settle: () => Promise<void>) => Promise<Message | undefined>;
  readonly deliver: (message: Message) => Promise<void>;
  /** Called once there's an answer, whatever it is. */
  readonly after?: () => unknown;
  /** Delivered where the answer belongs if that takes longer; left out if the person sees something else meanwhile. */
  readonly meanwhile?: Message;
}

/** `failed` also where a failure was shown in words. */
type Outcome = 'answered' | 'failed';

interface AnswererParts {
  readonly log: Log;
  readonly newReference: () => string;
  readonly report: (name: string, outcome: Outcome) => void;
  /** After this long without an answer the person is told that it takes longer. */
  readonly patienceMs?: number;
}

type AnswererApp = Pick<
  App,
  'installUrl' | 'isAdmin' | 'mustReinstall' | 'now' | 'showPrivately' | 'newBlocks'
>;

/** Any failure in words; an unexpected one with a reference that is in the log. */
function createWording(app: AnswererApp, { log, newReference }: AnswererParts) {
  return async function inWords(who: Viewer, name: string, error: unknown): Promise<Message> {
    const said = { name, ...who, err: error };
    if (await app.mustReinstall(who.workspaceId).catch(() => false)) {
      log.warn(said, 'asked where the app has to be installed again');
      return installAgain(app.installUrl);
    }
    if (error instanceof PassingFailure) {
      return withButton(await inWords(who, name, error.cause), error.retry);
    }
    if (error instanceof CobrowseError) {
      log.warn({ ...said, kind: error.kind, status: error.status }, 'could not answer');
      const mayConnect = error.kind === 'not-connected' && (await app.isAdmin(who).catch(() => false));
      return mayConnect ? connectFirst : failureMessage(cobrowseFailureWords(error));
    }
    if (error instanceof RightUnknownError) {
      log.warn(said, 'a permission could not be checked');
      return failureMessage(rightUnknownWords(error));
    }
    if (error instanceof DatabaseError) {
      log.error(said, 'the store failed');
      return failureMessage(storeFailureWords(error));
    }
    if (isTooLate(error)) return tooLate;
    const failure = error instanceof SlackError ? callFailure(error) : undefined;
    if (failure?.outcome === 'later') {
      log.warn(said, 'Slack could not be asked');
      return failureMessage(slackAwayWords(failure.reason));
    }
    const reference = newReference();
    log.error({ ...said, reference }, 'unexpected failure');
    return failureMessage(unexpectedFailureWords(reference));
  };
}

export function createAnswerer(app: AnswererApp, parts: AnswererParts) {
  const { log, report, patienceMs = 2_000 } = parts;
  const inWords = createWording(app, parts);
  const background = createBackground((error) => log.error({ err: error }, 'work in the background failed'));

  async function answer(who: Viewer, { name, work, deliver, meanwhile }: Question): Promise<Outcome> {
    /** @throws what Slack said, after logging it */
    const tried = (message: Message) =>
      deliver(message).catch((error: unknown): never => {
        // The person is told to press again, and nobody else has to do anything.
        if (isTooLate(error)) log.info({ name, ...who }, 'a window could not be opened in time');
        else log.error({ name, ...who, err: error }, 'the answer could not be delivered');
        throw error;
      });

    /** If Slack refuses it, without its table or as plain text. @returns whether it's plain text. @throws as `tried` */
    async function show({ richer, ...message }: Message): Promise<boolean> {
      try {
        await tried({ ...message, richer });
        return false;
      } catch (error) {
        if (!isContentRefused(error)) throw error;
      }
      if (richer === undefined) return tried(plainAnswer(message)).then(() => true);
      const isPlain = await show(message);
      if (!isPlain) await app.newBlocks.refuse(who.workspaceId, 'tables');
      return isPlain;
    }

    let noticed: Promise<void> | undefined;
    const patience = setTimeout(() => {
      if (meanwhile !== undefined) noticed = tried(meanwhile).catch(() => undefined);
    }, patienceMs);
    /** The answer waits for that message: arriving afterwards, it would promise an answer that never comes. */
    const settle = async () => {
      clearTimeout(patience);
      await noticed;
    };
    let outcome: Outcome = 'answered';
    const message = await work(settle).catch((error: unknown) => {
      outcome = 'failed';
      return inWords(who, name, error);
    });
    await settle();
    if (message === undefined) return outcome;
    try {
      if (await show(message)) return outcome;
    } catch (error) {
      // After a rate limit, don't ask Slack for more.
      if (!(error instanceof WebAPIRateLimitedError))
        await app.showPrivately(who, isTooLate(error) ? tooLate : answerNotShown);
      return 'failed';
    }
    const { until } = message;
    if (until !== undefined) {
      const inMs = Math.min(Math.max(0, until.at.getTime() - app.now()), LATEST_REPLACEMENT_MS);
      setTimeout(() => void show(until.instead).catch(() => undefined), inMs).unref();
    }
    return outcome;
  }

  return {
    take: ({ workspaceId, userId }: Viewer, question: Question): void =>
      background.start(() =>
        answer({ workspaceId, userId }, question)
          .then((outcome) => report(question.name, outcome))
          .finally(() => question.after?.()),
      ),
    inBackground: background.start,
    idle: background.idle,
  };
}
