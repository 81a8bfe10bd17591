import { WebAPIRateLimitedError } from '@slack/web-api';
import { CobrowseError } from '../cobrowse/errors.ts';
import { RightUnknownError } from '../grants/acts.ts';
import type { Log } from '../log.ts';
import { DatabaseError } from '../database/errors.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  storeFailureWords,
  unexpectedFailureWords,
} from '../views/failure-words.ts';
import { notice } from '../views/message.ts';
import type { Message } from '../views/message.ts';
import { answerNotShown, plainAnswer } from '../views/plain-answer.ts';
import { rightUnknownWords } from '../views/refusals.ts';
import { isContentRefused } from './refused-content.ts';

/** Slack takes answers through a response address for 30 minutes: a link that lives longer is replaced before. */
const LATEST_REPLACEMENT_MS = 29 * 60 * 1_000;

/** What was asked, how it is worked out, and where the words go. */
export interface Question {
  /** For log and metrics: the command, button or shortcut, never what was typed. */
  readonly name: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** Undefined where no words are needed. */
  readonly work: () => Promise<Message | undefined>;
  readonly deliver: (message: Message) => Promise<void>;
  /** Says that it takes longer, where the person sees nothing else meanwhile. */
  readonly stillWorking?: (message: Message) => Promise<void>;
}

interface AnswererParts {
  readonly log: Log;
  readonly newReference: () => string;
  readonly now: () => number;
  readonly report: (name: string, outcome: 'answered' | 'failed' | 'unexpected' | 'undelivered') => void;
  /** Writes to somebody by direct message, where an answer did not come where it belongs. Never rejects. */
  readonly tellDirectly: (to: Pick<Question, 'workspaceId' | 'userId'>, message: Message) => Promise<unknown>;
  /** After this long without an answer the person is told that it takes longer. */
  readonly patienceMs?: number;
}

/** Works questions out after they were acknowledged; each ends in words. */
export interface Answerer {
  /** Returns at once. */
  take(question: Question): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export function createAnswerer(parts: AnswererParts): Answerer {
  const { log, newReference, now, report, tellDirectly, patienceMs = 4_000 } = parts;
  const underWay = new Set<Promise<void>>();

  /** Any failure in words; an unexpected one with a reference that is in the log. */
  function inWords(question: Question, error: unknown): Message {
    const { name, workspaceId, userId } = question;
    if (error instanceof CobrowseError) {
      log.warn(
        { name, workspaceId, userId, kind: error.kind, status: error.status, err: error },
        'could not answer',
      );
      report(name, 'failed');
      return failureMessage(cobrowseFailureWords(error.kind, error.code));
    }
    if (error instanceof RightUnknownError) {
      log.warn({ name, workspaceId, userId, err: error }, 'Slack could not be asked about a right');
      report(name, 'failed');
      return failureMessage(rightUnknownWords(error.missingScope));
    }
    if (error instanceof DatabaseError) {
      log.error({ name, workspaceId, userId, err: error }, 'the store failed');
      report(name, 'failed');
      return failureMessage(storeFailureWords());
    }
    const reference = newReference();
    log.error({ name, workspaceId, userId, reference, err: error }, 'unexpected failure');
    report(name, 'unexpected');
    return failureMessage(unexpectedFailureWords(reference));
  }

  function undelivered({ name, workspaceId, userId }: Question, error: unknown): void {
    log.error({ name, workspaceId, userId, err: error }, 'the answer could not be delivered');
    report(name, 'undelivered');
  }

  /** Shows an answer, as plain text where Slack refuses it as it is. */
  async function show(question: Question, message: Message): Promise<'shown' | 'shown-plainly' | Error> {
    try {
      await question.deliver(message);
      return 'shown';
    } catch (error) {
      undelivered(question, error);
      if (!isContentRefused(error)) return asError(error);
    }
    try {
      await question.deliver(plainAnswer(message));
      return 'shown-plainly';
    } catch (error) {
      undelivered(question, error);
      return asError(error);
    }
  }

  /** Puts another message in the place of one that is only good until a time. */
  function replaceInTime(question: Question, until: NonNullable<Message['until']>): void {
    const inMs = Math.min(Math.max(0, until.at.getTime() - now()), LATEST_REPLACEMENT_MS);
    setTimeout(() => {
      void show(question, until.instead);
    }, inMs).unref();
  }

  async function answer(question: Question): Promise<void> {
    // The answer waits for these words: after it they would promise one that never comes.
    let told: Promise<void> | undefined;
    const patience = setTimeout(() => {
      const words = notice(['Still working on it. The answer will follow.']);
      told = question.stillWorking?.(words).catch((error: unknown) => undelivered(question, error));
    }, patienceMs);
    const message = await question
      .work()
      .catch((error: unknown) => inWords(question, error))
      .finally(() => clearTimeout(patience));
    await told;
    if (message === undefined) return;
    const shown = await show(question, message);
    if (shown === 'shown') report(question.name, 'answered');
    if (shown === 'shown' && message.until !== undefined) replaceInTime(question, message.until);
    // Who is rate-limited must not ask Slack for more.
    if (shown instanceof Error && !(shown instanceof WebAPIRateLimitedError))
      await tellDirectly(question, answerNotShown);
  }

  return {
    take(question) {
      const work = answer(question).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
