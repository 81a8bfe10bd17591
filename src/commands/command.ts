import type { z } from 'zod';
import type { Operation } from '../cobrowse/client.ts';
import { type Message, type Part, button } from '../messages/message.ts';
import type { Caller } from './caller.ts';
import type { Form } from './form.ts';
import { commandHelp, usageMessage } from './help-message.ts';
import type { Press } from './press.ts';
import type { IfAllowed, Needing } from './rights.ts';
import type { GlobalShortcut, Shortcut } from './shortcut.ts';
import { apartFromLinks, forTicket } from './ticket-links.ts';
import { isForbidden, unescapeSlack } from './typed.ts';
import type { Button } from '@slack/types';
import { CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';

/** How often it's needed: help shows the everyday ones first, the others on request, and the admins' only to admins. */
type Level = 'everyday' | 'further' | 'admin';

/** An operation of the service, or any way of learning that a session ended. */
type Needs = Operation | 'sessionEnds';

/** A subcommand of `/cobrowse`, ready to be run from text. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly level: Level;
  /** What the service must offer for it; help leaves it out otherwise. */
  readonly needs: Needs | undefined;
  readonly presses: readonly Press[];
  readonly forms: readonly Form[];
  readonly shortcut: Shortcut | undefined;
  readonly globalShortcut: GlobalShortcut | undefined;
  /** Whether it begins by looking for someone. */
  readonly searches: boolean;
  /** Explains it. */
  help(): Message;
  /** What is wrong with the text as the argument, for a form to show beside it; undefined if nothing is. */
  complaint(text: string): string | undefined;
  /** @param meant another command that may have been meant, for a search that finds nobody to suggest */
  readonly run: (text: string, caller: Caller, ifAllowed: IfAllowed, meant?: string) => Promise<Message>;
}

interface Definition<Argument> {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Who can use it. Its presses, forms and shortcuts each say so themselves. */
  readonly right: Needing<Argument, Caller, Message>['right'];
  /** Default: further. */
  readonly level?: Level;
  /** Shown in its help, and the first of them if the argument is wrong. */
  readonly examples?: readonly string[];
  /** What else its help says. */
  readonly more?: readonly Part[];
  readonly needs?: Needs;
  /** See {@link Command}. */
  readonly searches?: true;
  /** Whether it leads to sessions, so that a link beside its words may be that of a ticket that they're about. */
  readonly takesTicket?: true;
  /** Reads the text after the subcommand's name; its complaint is shown to the person. */
  readonly argument: z.ZodType<Argument, string>;
  readonly presses?: readonly Press[];
  readonly forms?: readonly Form[];
  readonly shortcut?: Shortcut;
  readonly globalShortcut?: GlobalShortcut;
  /** @param meant see {@link Command} */
  run(argument: Argument, caller: Caller, meant?: string): Promise<Message>;
}

/** Defines a subcommand: help, routing, "did you mean", button and shortcut follow from the definition. */
export function defineCommand<Argument>(definition: Definition<Argument>): Command {
  const {
    name,
    usage,
    summary,
    level = 'further',
    examples = [],
    argument,
    presses = [],
    forms = [],
  } = definition;
  const { shortcut, globalShortcut, needs, more, searches = false, takesTicket = false } = definition;
  return {
    name,
    usage,
    summary,
    level,
    needs,
    presses,
    forms,
    shortcut,
    globalShortcut,
    searches,
    help: () => commandHelp({ usage, summary }, examples, more),
    complaint(text) {
      const parsed = argument.safeParse(takesTicket ? apartFromLinks(text).words : text);
      return parsed.success ? undefined : firstComplaint(parsed.error);
    },
    async run(text, caller, ifAllowed, meant) {
      // A watch link stays in the search, which refuses it.
      const hasLinks = takesTicket && !isForbidden(unescapeSlack(text), caller);
      const { words, links } = hasLinks ? apartFromLinks(text) : { words: text, links: '' };
      const parsed = argument.safeParse(words);
      if (!parsed.success) return usageMessage(firstComplaint(parsed.error), { usage, summary }, examples[0]);
      const run = (read: Argument, who: Caller) =>
        forTicket(links, who, (one) => definition.run(read, one, meant));
      return ifAllowed({ right: definition.right, run }, parsed.data, caller);
    },
  };
}

function firstComplaint(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'I didn’t understand that.';
}

/** Failures that may pass within a moment. */
const PASSING: ReadonlySet<CobrowseErrorKind> = new Set(['busy', 'unreachable', 'timed-out']);

/** A failure that may pass, with the button that tries the same again. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  override readonly cause: CobrowseError;
  readonly retry: Button;

  constructor(cause: CobrowseError, retry: Button) {
    super(cause.message);
    this.cause = cause;
    this.retry = retry;
  }
}

/**
 * Does something that changes nothing. Rejects with a PassingFailure if it may work a moment later.
 *
 * @param again the press that retries it, and its value
 */
export async function offeringRetry<Done>(
  again: { readonly actionId: string; readonly value: string },
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CobrowseError) || !PASSING.has(error.kind)) throw error;
    throw new PassingFailure(error, button({ ...again, text: 'Retry', label: 'Retry the search' }));
  }
}
