import { SlackError, WebAPIRateLimitedError } from '@slack/web-api';
import { CobrowseError } from '../cobrowse/errors.ts';
import { PassingFailure } from '../commands/command.ts';
import {
  cobrowseFailureWords,
  connectFirst,
  failureMessage,
  rightUnknownWords,
  slackAwayWords,
  storeFailureWords,
  tooLate,
  unexpectedFailureWords,
} from '../messages/failure-words.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import type { Log } from '../logging/log.ts';
import { DatabaseError } from '../database/errors.ts';
import { withButton, type Message } from '../messages/message.ts';
import { answerNotShown, plainAnswer } from './plain-answer.ts';
import { callFailure, isContentRefused, isTooLate } from './call-failure.ts';

/** Slack accepts answers through a response URL for 30 minutes; a link that lives longer is replaced before that. */
const LATEST_REPLACEMENT_MS = 29 * 60 * 1_000;

/** A request, how it's answered, and where the answer goes. */
export interface Question {
  /** For log and metrics: the command, button or shortcut, never what was typed. */
  readonly name: string;
  readonly workspaceId: string;
  readonly userId: string;
  /**
   * Resolves to undefined if no words are needed. Work that shows something itself calls `settle` first: from then on
   * nothing else is shown.
   */
  readonly work: (settle: () => Promise<void>) => Promise<Message | undefined>;
  readonly deliver: (message: Message) => Promise<void>;
  /** Called once there's an answer, whatever it is. */
  readonly after?: () => unknown;
  /** Delivered where the answer belongs if that takes longer; left out if the person sees something else meanwhile. */
  readonly meanwhile?: Message;
}

/** The outcome of a request: `plain`, shown without formatting; `failed` and `unexpected`, a failure shown in words. */
type Outcome = 'answered' | 'plain' | 'failed' | 'unexpected' | 'undelivered';

interface Worked {
  readonly message: Message | undefined;
  readonly outcome: 'answered' | 'failed' | 'unexpected';
}

interface AnswererParts {
  readonly log: Log;
  readonly newReference: () => string;
  /** Called once for each request. */
  readonly report: (name: string, outcome: Outcome) => void;
  /** After this long without an answer the person is told that it takes longer. */
  readonly patienceMs?: number;
}

/** Answers requests after they were acknowledged; each ends in words. */
export interface Answerer {
  /** Returns immediately. */
  take(question: Question): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const failed = (words: Parameters<typeof failureMessage>[0]): Worked => ({
  outcome: 'failed',
  message: failureMessage(words),
});

export function createAnswerer(
  app: Pick<App, 'isAdmin' | 'now' | 'profileOf' | 'showPrivately'>,
  { log, newReference, report, patienceMs = 2_000 }: AnswererParts,
): Answerer {
  const underWay = new Set<Promise<void>>();

  /** Any failure in words; an unexpected one with a reference that is in the log. */
  function inWords(question: Question, error: unknown): Worked {
    const { name, workspaceId, userId } = question;
    const said = { name, workspaceId, userId, err: error };
    if (error instanceof PassingFailure) {
      const { outcome, message } = inWords(question, error.cause);
      return { outcome, message: message && withButton(message, error.retry) };
    }
    if (error instanceof CobrowseError) {
      log.warn({ ...said, kind: error.kind, status: error.status }, 'could not answer');
      return failed(cobrowseFailureWords(error));
    }
    if (error instanceof RightUnknownError) {
      log.warn(said, 'a permission could not be checked');
      return failed(rightUnknownWords(error));
    }
    if (error instanceof DatabaseError) {
      log.error(said, 'the store failed');
      return failed(storeFailureWords(error));
    }
    if (isTooLate(error)) return { outcome: 'failed', message: tooLate };
    if (error instanceof SlackError) {
      const { outcome: mayPass, reason } = callFailure(error);
      if (mayPass === 'later') {
        log.warn(said, 'Slack could not be asked');
        return failed(slackAwayWords(reason));
      }
    }
    const reference = newReference();
    log.error({ ...said, reference }, 'unexpected failure');
    return { outcome: 'unexpected', message: failureMessage(unexpectedFailureWords(reference)) };
  }

  function logUndelivered({ name, workspaceId, userId }: Question, error: unknown): void {
    // The person is told to press again, and nobody else has to do anything.
    if (isTooLate(error)) log.info({ name, workspaceId, userId }, 'a window could not be opened in time');
    else log.error({ name, workspaceId, userId, err: error }, 'the answer could not be delivered');
  }

  /** Shows an answer, as plain text if Slack refuses it as it is. */
  async function show(question: Question, message: Message): Promise<'shown' | 'shown-plainly' | Error> {
    try {
      await question.deliver(message);
      return 'shown';
    } catch (error) {
      logUndelivered(question, error);
      if (!isContentRefused(error)) return asError(error);
    }
    try {
      const reader = await app.profileOf(question.workspaceId, question.userId).catch(() => ({}));
      await question.deliver(plainAnswer(message, reader));
      return 'shown-plainly';
    } catch (error) {
      logUndelivered(question, error);
      return asError(error);
    }
  }

  /** Replaces a message that is valid only until a certain time. */
  function replaceInTime(question: Question, until: NonNullable<Message['until']>): void {
    const inMs = Math.min(Math.max(0, until.at.getTime() - app.now()), LATEST_REPLACEMENT_MS);
    setTimeout(() => {
      void show(question, until.instead);
    }, inMs).unref();
  }

  async function answer(question: Question): Promise<Outcome> {
    const { meanwhile } = question;
    let noticed: Promise<void> | undefined;
    const patience = setTimeout(() => {
      if (meanwhile !== undefined)
        noticed = question.deliver(meanwhile).catch((error: unknown) => logUndelivered(question, error));
    }, patienceMs);
    /** The answer waits for that message: arriving afterwards, it would promise an answer that never comes. */
    const settle = async () => {
      clearTimeout(patience);
      await noticed;
    };
    const { message, outcome } = await question.work(settle).then(
      (made): Worked => ({ message: made, outcome: 'answered' }),
      async (error: unknown) => {
        const worked = inWords(question, error);
        if (!(error instanceof CobrowseError) || error.kind !== 'not-connected') return worked;
        const mayConnect = await app.isAdmin(question).catch(() => false);
        return mayConnect ? { ...worked, message: connectFirst } : worked;
      },
    );
    await settle();
    if (message === undefined) return outcome;
    const shown = await show(question, message);
    if (shown instanceof Error) {
      // After a rate limit, don't ask Slack for more.
      if (!(shown instanceof WebAPIRateLimitedError))
        await app.showPrivately(question, isTooLate(shown) ? tooLate : answerNotShown);
      return 'undelivered';
    }
    if (shown === 'shown' && message.until !== undefined) replaceInTime(question, message.until);
    return shown === 'shown-plainly' && outcome === 'answered' ? 'plain' : outcome;
  }

  return {
    take(question) {
      const work = answer(question)
        .then((outcome) => report(question.name, outcome))
        .finally(() => question.after?.())
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
