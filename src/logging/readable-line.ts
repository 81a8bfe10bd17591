import { levels } from 'pino';
import { z } from 'zod';

const Line = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
});

/** Without terminal control characters: a stranger's words could overwrite the lines above. */
const harmless = (text: string) => text.replaceAll(/[^\P{Cc}\n\t]/gu, '?');

const valueText = (value: unknown) =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);

const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');

function parse(line: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A JSON log line as a person reads it on a terminal: time, level, words, fields; the stack below. */
export function readableLine(line: string): string {
  const parsed = parse(line);
  if (parsed === undefined) return line;
  const { level, time, msg, err, ...fields } = parsed;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const name = (levels.labels[level] ?? String(level)).toUpperCase().padEnd(5);
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${valueText(value)}`);
  const cause = err === undefined ? '' : indented(err.stack ?? err.message);
  return harmless(`${clock} ${name} ${msg}${details.join('')}\n${cause}`);
}
