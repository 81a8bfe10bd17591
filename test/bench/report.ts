import { availableParallelism, cpus, totalmem } from 'node:os';
import { median, medianRatio, type Samples } from './rounds.ts';

/** At most, or at least, so much. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A line of a table. */
interface Figure<Side extends string> {
  readonly what: string;
  readonly unit: string;
  readonly samples: Samples<Side, number>;
  /** How many times the other sides' the last one's may be. */
  readonly times?: Partial<Readonly<Record<Side, Goal>>>;
  /** What the last side's may be itself, in the unit of the figure. */
  readonly itself?: Goal;
}

/** What was found for a goal. */
export interface Findings<Side extends string> {
  readonly title: string;
  /** What each side is called; the last one is judged by the others. */
  readonly sides: readonly (readonly [Side, string])[];
  readonly figures: readonly Figure<Side>[];
  /** What was measured, and how. */
  readonly how: string;
}

const number = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

/** A value with what was wanted of it. */
export function judged(shown: string, value: number, goal: Goal | undefined): string {
  if (goal === undefined) return shown;
  const [sign, limit, isReached] =
    'atMost' in goal ? ['≤', goal.atMost, value <= goal.atMost] : ['≥', goal.atLeast, value >= goal.atLeast];
  return `${shown} (${sign} ${limit}: ${isReached ? 'reached' : '**not reached**'})`;
}

function cellsOf<Side extends string>(
  { what, unit, samples, times = {}, itself }: Figure<Side>,
  sides: readonly Side[],
): readonly string[] {
  const of = (side: Side | undefined) => (side === undefined ? [] : (samples.get(side) ?? []));
  const ours = sides.at(-1);
  const measured = sides.map((side) => {
    const value = median(of(side));
    return judged(`${number(value)} ${unit}`.trim(), value, side === ours ? itself : undefined);
  });
  const ratios = sides.slice(0, -1).map((side) => {
    const value = medianRatio(of(ours), of(side));
    return judged(value.toFixed(2), value, times[side]);
  });
  return [what, ...measured, ...ratios];
}

/** A table of lines of cells: what is measured on the left, figures to its right. */
export const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const section = (title: string, found: string, how: string): string =>
  `## ${title}\n\n${found}\n\n${how}`;

export function sectionOf<Side extends string>({ title, sides, figures, how }: Findings<Side>): string {
  const names = sides.map(([, name]) => name);
  const ratios = names.slice(0, -1).map((name) => `${names.at(-1)} : ${name}`);
  const lines = figures.map((figure) =>
    cellsOf(
      figure,
      sides.map(([side]) => side),
    ),
  );
  return section(title, table(['', ...names, ...ratios], lines), how);
}

/** What it was measured on. */
export function machineLine(rounds: number): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memoryGib = Math.round(totalmem() / 1_024 ** 3);
  return `${availableParallelism()} cores (${model}), ${memoryGib} GiB, Node ${process.version}; medians of ${rounds} rounds, and a ratio is the median of the rounds' ratios.`;
}
