import { z } from 'zod';

import { argumentsError } from './slack-error.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** One Web API method: who may call it and what it does with its arguments. */
export interface WebMethod {
  readonly token: 'bot' | 'app';
  /** Any of these scopes will do; empty for none. */
  readonly scopes: readonly string[];
  run(args: unknown): Answer;
}

/** @returns a method that refuses arguments of the wrong shape with `invalid_arguments`, as Slack does. */
export const webMethod = <S extends z.ZodType>(
  scopes: readonly string[],
  schema: S,
  run: (args: z.output<S>) => Answer,
): WebMethod => ({
  token: 'bot',
  scopes,
  run(args) {
    const parsed = schema.safeParse(args);
    if (parsed.success) return run(parsed.data);
    throw argumentsError(
      'invalid_arguments',
      parsed.error.issues.map(
        (issue) => `${issue.message} [json-pointer:/${issue.path.map(String).join('/')}]`,
      ),
    );
  },
});

/** A yes or no, which a form carries as text. */
export const flag = z.union([
  z.boolean(),
  z.literal('true').transform(() => true),
  z.literal('false').transform(() => false),
]);
