import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Something about the options that whoever typed them can put right. */
class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/** @throws UsageError for anything else, which {@link runProgram} says in a line */
export function wholeNumber(name: string, typed: string, least = 1): number {
  const number = Number(typed);
  if (typed.trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new UsageError(`--${name} needs a whole number from ${least} up`);
  return number;
}

/** @throws UsageError */
export function refuse(words: string): never {
  throw new UsageError(words);
}

/**
 * Runs a program with what was typed. `--help` prints how it's used, and so does what it doesn't understand, which ends with
 * the code 2.
 */
export async function runProgram<const Known extends Options>(
  usage: string,
  known: Known,
  main: (values: Values<Known>) => Promise<void>,
): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  try {
    await main(parseArgs({ options: known }).values);
  } catch (error) {
    const isTyped =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    if (!isTyped && !(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    process.exitCode = 2;
  }
}
