/** What is compared: a bare program, what one would write without us, and ours. */
export const SIDES = ['raw', 'reference', 'ours'] as const;
export type Side = (typeof SIDES)[number];

/** One value a round for each side. */
export type Samples<Value> = Readonly<Record<Side, readonly Value[]>>;

/** One turn a side and round, A B C, then C B A: what changes on the machine meanwhile changes it for all. */
export async function inTurns<Value>(
  rounds: number,
  turn: (side: Side) => Promise<Value>,
): Promise<Samples<Value>> {
  const samples: Record<Side, Value[]> = { raw: [], reference: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? SIDES : SIDES.toReversed();
    for (const side of order) samples[side].push(await turn(side));
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of the ratios within one round each. */
export function medianRatio(ours: readonly number[], other: readonly number[]): number {
  return median(ours.map((value, round) => value / (other[round] ?? Number.NaN)));
}
