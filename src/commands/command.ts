import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Operation } from '../cobrowse/client.ts';
import { CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import { cobrowseFailureWords, outdatedButton, type CobrowseFailure } from '../messages/failure-words.ts';
import { button, lines, message, points, type Message, type Part } from '../messages/message.ts';
import type { FormContent, Saved, Unsaved } from '../messages/modal.ts';
import { LIMITS, code, say, short, type Line } from '../messages/text.ts';
import type { Clues, SharedMessage } from './clues.ts';
import type { Caller, IfAllowed, Needing, Presser, Right } from './rights.ts';
import { apartFromLinks, forTicket } from './ticket-links.ts';
import { isForbidden, unescapeSlack } from './typed.ts';

/** What was filled in, by block: typed text, or the chosen values. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** What is wrong, by block; nothing is wrong with the others. */
export type Complaints = Readonly<Record<string, string | false | undefined>>;

/** A form as it was submitted. */
export interface Submission {
  readonly filled: Filled;
  /** The value of the button that opened it; empty for a shortcut. */
  readonly about: string;
  /** What its content says that it has to know, like what the form showed when it opened. */
  readonly seen?: string;
}

/** A modal with inputs. */
export interface Form {
  readonly callbackId: string;
  /** At most 24 characters. */
  readonly title: string;
  /** Shown beside the inputs. */
  complaints(filled: Filled): Complaints;
  /** The channel chosen for what follows, in which the caller, and whoever presses a button of the answer, then counts as being. */
  channelOf?(filled: Filled): string | undefined;
  /** What it says while it's at work; that it's loading if not given. */
  readonly busy?: string;
  /** Whether the Home tab is redrawn afterwards. */
  readonly redraws?: 'renew';
  /** Whether it stays open for up to two seconds while saving, and closes if that's enough. */
  readonly closes?: true;
  /** Answers with {@link Saved} if closing the form says enough, and with {@link Unsaved} if it stays. */
  run(submission: Submission, caller: Caller, ifAllowed: IfAllowed): Promise<Message | Saved | Unsaved>;
}

/** A form, and who can send it in: whoever opened it may no longer be one of them. */
export const defineForm = (
  definition: Omit<Form, 'run'> & Needing<Submission, Caller, Message | Saved | Unsaved>,
): Form => ({
  ...definition,
  run: (submission, caller, ifAllowed) => ifAllowed(definition, submission, caller),
});

/** A button's press. */
interface PressAnswer {
  readonly actionId: string;
  /** `replace` puts the answer in the pressed message's place, `add` shows it beside. */
  readonly answer: 'replace' | 'add';
  /** The title of the modal that opens for the answer, if one does. */
  readonly title?: string;
  /** What that modal says until there's an answer; that it's loading if not given. */
  readonly busy?: string;
  /** Whether the Home tab is redrawn afterwards: `show` with a skeleton first, `renew` without. */
  readonly redraws?: 'show' | 'renew';
  /** False if the press usually needs no words, only a refusal does; true if not given. */
  readonly needsAnswer?: boolean;
}

/** Only here, so that no press is made that forgets to ask for its right. */
const ASKS_FIRST = Symbol('asks for its right');

export interface Press extends PressAnswer {
  readonly [ASKS_FIRST]: true;
  /** Set if the press opens a form instead of being answered. */
  readonly opens?: {
    readonly form: Form;
    /** The form's content, or a message instead. */
    readonly content: (value: string, caller: Caller, ifAllowed: IfAllowed) => Promise<FormContent | Message>;
    /** Whether a press with this value does; each one if not given. */
    readonly isFor?: (value: string) => boolean;
  };
  /** Undefined if the press needs no answer (a URL button's page does the work). */
  readonly run: (value: string, presser: Presser, ifAllowed: IfAllowed) => Promise<Message | undefined>;
}

interface PressDefinition<Value> extends PressAnswer {
  readonly value: z.ZodType<Value, string>;
  /** Who can press it, and open its form. */
  readonly right: Needing<Value, Presser, unknown>['right'];
  readonly opens?: {
    readonly form: Form;
    readonly content: (value: Value, caller: Caller) => Promise<FormContent | Message>;
    readonly isFor?: (value: Value) => boolean;
  };
  readonly run?: (value: Value, presser: Presser) => Promise<Message | undefined>;
}

/** A press whose value is read by a schema. A value that doesn't fit comes from another version's button. */
export function definePress<Value>(definition: PressDefinition<Value>): Press {
  const { value: schema, right, opens, run = async () => undefined, ...press } = definition;
  return {
    [ASKS_FIRST]: true,
    ...press,
    opens: opens && {
      form: opens.form,
      isFor(value) {
        const parsed = schema.safeParse(value);
        return !parsed.success || opens.isFor?.(parsed.data) !== false;
      },
      async content(value, caller, ifAllowed) {
        const parsed = schema.safeParse(value);
        return parsed.success
          ? ifAllowed({ right, run: opens.content }, parsed.data, caller)
          : outdatedButton;
      },
    },
    async run(value, presser, ifAllowed) {
      const parsed = schema.safeParse(value);
      return parsed.success ? ifAllowed({ right, run }, parsed.data, presser) : outdatedButton;
    },
  };
}

/** A press that runs a command, which asks for its own right. Its value is what would be typed. */
export const pressRunning = (command: Pick<Command, 'run'>, press: PressAnswer): Press => ({
  [ASKS_FIRST]: true,
  ...press,
  run: (text, presser, ifAllowed) => command.run(text, presser, ifAllowed),
});

/** A button's value that is JSON. */
export const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('is no JSON');
    return z.NEVER;
  }
});

/** Buttons and forms that belong to no command. */
export interface Surface {
  readonly presses: readonly Press[];
  readonly forms: readonly Form[];
}

/** How a message shortcut asks for the command's argument. */
export interface Shortcut {
  readonly callbackId: string;
  /** At most 24 characters: the modal's title. */
  readonly title: string;
  readonly label: string;
  /** What can be typed into the field, as "Type ..." goes on. */
  readonly asksFor: string;
  /** Whether it may lead to a session, whose notes can start with a link to the message. */
  readonly offersNotes: boolean;
  clues(message: SharedMessage): Clues;
  /** The answer for a message of this app that is about one visitor. */
  readonly ofVisitor?: Needing<string, Caller, Message>;
}

/** A choice of an external select. */
export interface Choice {
  readonly text: string;
  readonly value: string;
}

/** A global shortcut: a form whose search field asks for suggestions. */
export interface GlobalShortcut {
  readonly callbackId: string;
  readonly form: Form;
  /** The form, or a refusal. */
  content(caller: Caller, ifAllowed: IfAllowed): Promise<FormContent | Message>;
  readonly suggestions: {
    readonly actionId: string;
    /** At most 100; none for who may not see them: the form itself explains that. */
    find(typed: string, caller: Caller, ifAllowed: IfAllowed): Promise<readonly Choice[]>;
  };
}

interface GlobalShortcutDefinition {
  readonly callbackId: string;
  readonly right: Right;
  readonly form: Form;
  readonly content: (caller: Caller) => Promise<FormContent>;
  readonly suggestions: {
    readonly actionId: string;
    readonly find: (typed: string, caller: Caller) => Promise<readonly Choice[]>;
  };
}

/** A global shortcut, and who can use it. */
export const defineGlobalShortcut = ({
  right,
  content,
  suggestions: { actionId, find },
  ...shortcut
}: GlobalShortcutDefinition): GlobalShortcut => ({
  ...shortcut,
  content: (caller, ifAllowed) =>
    ifAllowed({ right, run: (_nothing, who) => content(who) }, undefined, caller),
  suggestions: {
    actionId,
    async find(typed, caller, ifAllowed) {
      const found = await ifAllowed({ right, run: find }, typed, caller);
      return 'blocks' in found ? [] : found;
    },
  },
});

/** The value of a choice that only says something: no visitor's id can be a slash. */
export const NOBODY = '/';

/** Words in a list of choices, where Slack has no other place for them. */
const wordsAlone = (text: string): Choice => ({ text: short(text, LIMITS.optionText), value: NOBODY });

/** When the service takes longer than Slack waits for choices. */
export const stillSearchingChoice = wordsAlone('Still searching… Type another letter to ask again.');

/** Instead of a search for a watch link: nobody else must learn it. */
export const watchLinkChoice = wordsAlone('That looks like a watch link, so I didn’t search for it.');

/** @param failure what the service answered; undefined if something else went wrong */
export const failedSearchChoice = (failure: CobrowseFailure | undefined): Choice =>
  wordsAlone(
    failure === undefined
      ? 'Something went wrong in the app. Try again in a minute.'
      : cobrowseFailureWords(failure).text,
  );

/** A subcommand, as help shows it. */
export interface HelpEntry {
  readonly usage: string;
  readonly summary: string;
}

interface AboutCommand extends HelpEntry {
  readonly name: string;
  /** What the service must offer for it: an operation, or any way of learning that a session ended. Help leaves it out otherwise. */
  readonly needs?: Operation | 'sessionEnds';
  readonly shortcut?: Shortcut;
  readonly globalShortcut?: GlobalShortcut;
}

/** A subcommand of `/cobrowse`, ready to be run from text. */
export interface Command extends AboutCommand, Surface {
  /** How often it's needed: help shows the everyday ones first, the others on request, and the admins' only to admins. */
  readonly level: 'everyday' | 'further' | 'admin';
  /** Whether it begins by looking for someone. */
  readonly searches: boolean;
  /** Explains it. */
  help(): Message;
  /** What is wrong with the text as the argument, for a form to show beside it; undefined if nothing is. */
  complaint(text: string): string | undefined;
  /** @param meant another command that may have been meant, for a search that finds nobody to suggest */
  readonly run: (text: string, caller: Caller, ifAllowed: IfAllowed, meant?: string) => Promise<Message>;
}

interface Definition<Argument>
  extends AboutCommand, Partial<Pick<Command, 'level' | 'searches' | 'presses' | 'forms'>> {
  /** Who can use it. Its presses, forms and shortcuts each say so themselves. */
  readonly right: Needing<Argument, Caller, Message>['right'];
  /** Shown in its help, and the first of them if the argument is wrong. */
  readonly examples?: readonly string[];
  /** What else its help says. */
  readonly more?: readonly Part[];
  /** Whether it leads to sessions, so that a link beside its words may be that of a ticket that they're about. */
  readonly takesTicket?: true;
  /** Reads the text after the subcommand's name; its complaint is shown to the person. */
  readonly argument: z.ZodType<Argument, string>;
  /** @param meant see {@link Command} */
  readonly run: (argument: Argument, caller: Caller, meant?: string) => Promise<Message>;
}

/** Defines a subcommand: help, routing, "did you mean", button and shortcut follow from the definition. */
export function defineCommand<Argument>(definition: Definition<Argument>): Command {
  const { argument, right, run: work, examples = [], more = [], takesTicket = false, ...about } = definition;
  return {
    level: 'further',
    searches: false,
    presses: [],
    forms: [],
    ...about,
    help: () =>
      message(
        lines([code(`/cobrowse ${about.usage}`)], [about.summary]),
        examples.length > 0 && lines(['For example:']),
        examples.length > 0 && points(...examples.map((text) => [code(`/cobrowse ${text}`)])),
        ...more,
      ),
    complaint(text) {
      const parsed = argument.safeParse(takesTicket ? apartFromLinks(text).words : text);
      return parsed.success ? undefined : firstComplaint(parsed.error);
    },
    async run(text, caller, ifAllowed, meant) {
      // A watch link stays in the search, which refuses it.
      const hasLinks = takesTicket && !isForbidden(unescapeSlack(text), caller);
      const { words, links } = hasLinks ? apartFromLinks(text) : { words: text, links: '' };
      const parsed = argument.safeParse(words);
      if (!parsed.success) return usageMessage(firstComplaint(parsed.error), about, examples[0]);
      const run = (read: Argument, who: Caller) => forTicket(links, who, (one) => work(read, one, meant));
      return ifAllowed({ right, run }, parsed.data, caller);
    },
  };
}

function firstComplaint(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'I didn’t understand that.';
}

/** A command with its summary, in a list. */
export const entryLine = ({ usage, summary }: HelpEntry): Line => [code(`/cobrowse ${usage}`), '  ', summary];

/** The argument of a subcommand is missing or not right. @param example how it could be typed */
export const usageMessage = (complaint: string, entry: HelpEntry, example?: string): Message =>
  message(
    lines(
      example === undefined ? [complaint] : say`${complaint} Try ${code(`/cobrowse ${example}`)}.`,
      entryLine(entry),
    ),
  );

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
