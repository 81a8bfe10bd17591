import { availableParallelism, cpus, totalmem } from 'node:os';
import { median, medianRatio } from './rounds.ts';
import type { Samples } from './rounds.ts';

/** A limit for ours: at most, or at least, so many times the other side. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** A line of the table. */
export interface Figure {
  /** The goal it belongs to, for example `P1`. */
  readonly number: string;
  readonly what: string;
  readonly unit: string;
  readonly samples: Samples<number>;
  readonly ofRaw?: Goal;
  readonly ofReference?: Goal;
  /** In the unit of the figure. */
  readonly itself?: Goal;
}

/** What one benchmark found. */
export interface Findings {
  /** What stands in the reference's column. */
  readonly reference: string;
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
}

/** Picks one number out of each sample. */
export function each<Value>(samples: Samples<Value>, pick: (value: Value) => number): Samples<number> {
  return {
    raw: samples.raw.map(pick),
    reference: samples.reference.map(pick),
    ours: samples.ours.map(pick),
  };
}

const number = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

function verdict(value: number, goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const [sign, limit, reached] =
    'atMost' in goal ? ['≤', goal.atMost, value <= goal.atMost] : ['≥', goal.atLeast, value >= goal.atLeast];
  return ` (goal ${sign} ${limit}: ${reached ? 'reached' : 'not reached'})`;
}

function line({ number: name, what, unit, samples, ofRaw, ofReference, itself }: Figure): string {
  const { raw, reference, ours } = samples;
  const measured = (values: readonly number[]) => `${number(median(values))} ${unit}`;
  const ratio = (other: readonly number[], goal: Goal | undefined) => {
    const value = medianRatio(ours, other);
    return `${value.toFixed(2)} x${verdict(value, goal)}`;
  };
  const cells = [
    name,
    what,
    measured(raw),
    measured(reference),
    measured(ours) + verdict(median(ours), itself),
    ratio(raw, ofRaw),
    ratio(reference, ofReference),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function tableOf({ reference, figures, notes }: Findings): string {
  const head = ['goal', 'what', 'raw', reference, 'ours', 'ours : raw', `ours : ${reference}`];
  return [
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, column) => (column < 2 ? '---' : '---:')).join(' | ')} |`,
    ...figures.map(line),
    '',
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}

/** What it was measured on. */
export function machineLine(rounds: number): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memoryGib = Math.round(totalmem() / 1_024 ** 3);
  return `${availableParallelism()} cores (${model}), ${memoryGib} GiB, Node ${process.version}, ${rounds} rounds, medians; a ratio is the median of the rounds' ratios.`;
}
