import { z } from 'zod';
import type { Message } from '../views/message.ts';
import type { FormContent } from '../views/modal.ts';
import type { Caller, Presser } from './caller.ts';
import type { Form } from './form.ts';
import type { Services } from './services.ts';

/** A button's press. `replace` puts the answer in the pressed message's place, `add` shows it beside. */
export interface Press {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  /** Set where the press opens a form in place of an answer. */
  readonly opens?: {
    readonly form: Form;
    /** The form's inside, or words in its place. */
    readonly content: (value: string, caller: Caller, services: Services) => Promise<FormContent | Message>;
  };
  /** False where the button's own address does the work: then only a refusal needs words. */
  needsAnswer(services: Services): boolean;
  /** Undefined: the press needs no words (a URL button's page does the work). */
  run(value: string, presser: Presser, services: Services): Promise<Message | undefined>;
}

/** A button's value that is JSON. */
export const jsonText = z.string().transform((text): unknown => JSON.parse(text));

/** A button's press whose value is read by a schema. A value of another version's button is a complaint, not a crash. */
export function definePress<Value>(definition: {
  readonly actionId: string;
  readonly answer: 'replace' | 'add';
  readonly value: z.ZodType<Value, string>;
  readonly opens?: Press['opens'];
  readonly needsAnswer?: Press['needsAnswer'];
  run(value: Value, presser: Presser, services: Services): Promise<Message | undefined>;
}): Press {
  return {
    actionId: definition.actionId,
    answer: definition.answer,
    needsAnswer: definition.needsAnswer ?? (() => true),
    ...(definition.opens === undefined ? {} : { opens: definition.opens }),
    run: (value, presser, services) => definition.run(definition.value.parse(value), presser, services),
  };
}
