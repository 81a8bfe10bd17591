import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Operation } from '../cobrowse/client.ts';
import { CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import { jsonOf } from '../database/database.ts';
import { outdatedButton } from '../messages/failure-words.ts';
import { button, lines, message, points, type Message, type Part } from '../messages/message.ts';
import type { FormContent, Saved, Unsaved } from '../messages/modal.ts';
import { LIMITS, code, say, short, type Line } from '../messages/text.ts';
import type { Clues, SharedMessage } from './clues.ts';
import type { Caller, IfAllowed, Needing, Presser } from './rights.ts';
import { apartFromLinks, forTicket } from './ticket-links.ts';
import { isForbidden, unescapeSlack } from './typed.ts';

/** By block: typed text, or the chosen values. */
export type Filled = Readonly<Record<string, readonly string[]>>;

export type Complaints = Readonly<Record<string, string | false | undefined>>;

export interface Submission {
  readonly filled: Filled;
  /** The value of the button that opened it; empty for a shortcut. */
  readonly about: string;
  readonly seen?: string;
}

export interface Form {
  readonly callbackId: string;
  /** At most 24 characters. */
  readonly title: string;
  /** Slack itself asks for what isn't optional. */
  complaints?(filled: Filled): Complaints;
  /** The channel chosen for what follows. The caller, and whoever presses the answer's buttons, then counts as being there. */
  channelOf?(filled: Filled): string | undefined;
  readonly redraws?: 'renew';
  /** Stays open for up to two seconds while saving, and closes if that's enough. */
  readonly closes?: true;
  /** {@link Saved} if closing says enough, {@link Unsaved} if the form stays. */
  run(submission: Submission, caller: Caller, ifAllowed: IfAllowed): Promise<Message | Saved | Unsaved>;
}

/** The right is asked for again: whoever opened it may have lost it. */
export const defineForm = (
  definition: Omit<Form, 'run'> & Needing<Submission, Caller, Message | Saved | Unsaved>,
): Form => ({
  ...definition,
  run: (submission, caller, ifAllowed) => ifAllowed(definition, submission, caller),
});

interface PressAnswer {
  readonly actionId: string;
  /** `replace` puts the answer in the pressed message's place, `add` shows it beside. */
  readonly answer: 'replace' | 'add';
  /** Opens a modal of this title for the answer. */
  readonly title?: string;
  /** The Home tab is redrawn: `show` with a skeleton first, `renew` without. */
  readonly redraws?: 'show' | 'renew';
  /** False if usually only a refusal needs words. Default: true. */
  readonly needsAnswer?: boolean;
}

/** A form that opens instead of an answer. */
interface Opens<Value> {
  readonly form: Form;
  readonly content: (value: Value, caller: Caller, ifAllowed: IfAllowed) => Promise<FormContent | Message>;
  readonly isFor?: (value: Value) => boolean;
}

/** Private, so that every press asks for its right. */
const ASKS_FIRST = Symbol('asks for its right');

export interface Press extends PressAnswer {
  readonly [ASKS_FIRST]: true;
  readonly opens?: Opens<string>;
  /** Undefined if there's nothing to say, as where a URL button's page does the work. */
  readonly run: (value: string, presser: Presser, ifAllowed: IfAllowed) => Promise<Message | undefined>;
}

interface PressDefinition<Value> extends PressAnswer {
  readonly value: z.ZodType<Value, string>;
  readonly right: Needing<Value, Presser, unknown>['right'];
  readonly opens?: Opens<Value>;
  readonly run?: (value: Value, presser: Presser) => Promise<Message | undefined>;
}

/** A value that doesn't fit the schema comes from another version's button. */
export function definePress<Value>(definition: PressDefinition<Value>): Press {
  const { value: schema, right, opens, run: work = async () => undefined, ...press } = definition;
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
        const run = (read: Value, who: Caller) => opens.content(read, who, ifAllowed);
        return parsed.success ? ifAllowed({ right, run }, parsed.data, caller) : outdatedButton;
      },
    },
    async run(value, presser, ifAllowed) {
      const parsed = schema.safeParse(value);
      return parsed.success ? ifAllowed({ right, run: work }, parsed.data, presser) : outdatedButton;
    },
  };
}

/** Of a button whose address opens in the browser: Slack needs an acknowledgement. */
export const addressPress = (actionId: string): Press =>
  definePress({ actionId, answer: 'replace', right: 'everybody', value: z.string(), needsAnswer: false });

/** The command asks for its own right. The value is what would be typed. */
export const pressRunning = (command: Pick<Command, 'run'>, press: PressAnswer): Press => ({
  [ASKS_FIRST]: true,
  ...press,
  run: (text, presser, ifAllowed) => command.run(text, presser, ifAllowed),
});

export const jsonText = jsonOf(z.unknown());

export interface Surface {
  readonly presses: readonly Press[];
  readonly forms: readonly Form[];
}

export interface Shortcut {
  readonly callbackId: string;
  readonly title: string;
  readonly label: string;
  /** Completes "Type ...". */
  readonly asksFor: string;
  /** Whether it may lead to a session whose notes start with a link to the message. */
  readonly offersNotes: boolean;
  clues(message: SharedMessage): Clues;
  /** The answer for a message of this app that is about one visitor. */
  readonly ofVisitor?: Needing<string, Caller, Message>;
}

export interface Choice {
  readonly text: string;
  readonly value: string;
}

/** In Slack's menu of shortcuts: opens the form of a press, whose search field asks for suggestions. */
export interface GlobalShortcut {
  readonly callbackId: string;
  readonly press: Press;
  /** At most 100; none for who may not see them. */
  readonly suggestions: Needing<string, Caller, readonly Choice[]> & { readonly actionId: string };
}

/** For a choice that only says something: no visitor's id can be a slash. */
export const NOBODY = '/';

/** A list of choices has no other place for words. */
export const wordsAlone = (text: string): Choice => ({ text: short(text, LIMITS.optionText), value: NOBODY });

/** How Slackbot asks for a command. Nobody presses there, so that it only shows something, or `sends` it to who asks. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly argument?: {
    readonly name: string;
    readonly description: string;
    /** What would be typed; default: the same. */
    readonly typed?: (argument: string) => string;
  };
  /** The answer goes into their direct messages with the app, where the press of its buttons proves who they are. */
  readonly sends?: true;
  /** The buttons in other answers that become buttons for it: of each its action, and the argument in its value. */
  readonly buttons?: readonly {
    readonly actionId: string;
    readonly text?: string;
    readonly argumentIn: (value: string) => string | undefined;
  }[];
}

interface AboutCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly tool?: Tool;
  /** What the service must offer, or help leaves it out: an operation, or any way of learning that a session ended. */
  readonly needs?: Operation | 'sessionEnds';
  readonly shortcut?: Shortcut;
  readonly globalShortcut?: GlobalShortcut;
}

export interface Command extends AboutCommand, Surface {
  /** Help shows the everyday ones first, the others on request, and the admins' only to admins. */
  readonly level: 'everyday' | 'further' | 'admin';
  readonly searches: boolean;
  help(): Message;
  complaint(text: string): string | undefined;
  /** @param meant another command to suggest if a search finds nobody */
  readonly run: (text: string, caller: Caller, ifAllowed: IfAllowed, meant?: string) => Promise<Message>;
}

interface Definition<Argument>
  extends AboutCommand, Partial<Pick<Command, 'level' | 'searches' | 'presses' | 'forms'>> {
  /** Its presses, forms and shortcuts each have their own. */
  readonly right: Needing<Argument, Caller, Message>['right'];
  /** Shown in its help, and the first of them if the argument is wrong. */
  readonly examples?: readonly string[];
  readonly more?: readonly Part[];
  /** It leads to sessions, so a link beside its words may be that of their ticket. */
  readonly takesTicket?: true;
  readonly argument: z.ZodType<Argument, string>;
  readonly run: (argument: Argument, caller: Caller, meant?: string) => Promise<Message>;
}

/** Help, routing, "did you mean", button and shortcut follow from the definition. */
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
      // A watch link stays in the search, which refuses it, and is in no button.
      const isRefused = isForbidden(unescapeSlack(text), caller);
      const { words, links } = takesTicket && !isRefused ? apartFromLinks(text) : { words: text, links: '' };
      const parsed = argument.safeParse(words);
      if (!parsed.success) return usageMessage(firstComplaint(parsed.error), about, examples[0]);
      const run = (read: Argument, who: Caller) => forTicket(links, who, (one) => work(read, one, meant));
      const answer = () => ifAllowed({ right, run }, parsed.data, caller);
      const again = `${about.name} ${text}`;
      const isRetried = about.searches === true && !isRefused && again.length <= LIMITS.buttonValue;
      return isRetried ? offeringRetry('retry', again, answer) : answer();
    },
  };
}

function firstComplaint(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'I didn’t understand that.';
}

export const entryLine = ({ usage, summary }: Entry): Line => [code(`/cobrowse ${usage}`), '  ', summary];

type Entry = Pick<Command, 'usage' | 'summary'>;

export const usageMessage = (complaint: string, entry: Entry, example?: string): Message =>
  message(
    lines(
      example === undefined ? [complaint] : say`${complaint} Try ${code(`/cobrowse ${example}`)}.`,
      entryLine(entry),
    ),
  );

const PASSING: ReadonlySet<CobrowseErrorKind> = new Set(['busy', 'unreachable', 'timed-out']);

export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  override readonly cause: CobrowseError;
  readonly retry: Button;

  constructor(cause: CobrowseError, actionId: string, value: string) {
    super(cause.message);
    this.cause = cause;
    this.retry = button({ actionId, value, text: 'Retry', label: 'Retry the search' });
  }
}

/** For what changes nothing. Rejects with a PassingFailure if it may work a moment later. @param actionId the press that retries it */
export const offeringRetry = <Done>(actionId: string, value: string, work: () => Promise<Done>) =>
  work().catch((error: unknown): never => {
    if (!(error instanceof CobrowseError) || !PASSING.has(error.kind)) throw error;
    throw new PassingFailure(error, actionId, value);
  });
