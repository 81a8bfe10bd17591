/** One value a round for each side of a comparison. */
export type Samples<Side, Value> = ReadonlyMap<Side, readonly Value[]>;

/** One turn a side and round, A B C, then C B A: what changes on the machine meanwhile changes it for all. */
export async function inTurns<Side, Value>(
  sides: readonly Side[],
  rounds: number,
  turn: (side: Side, round: number) => Promise<Value>,
): Promise<Samples<Side, Value>> {
  const samples = new Map<Side, Value[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) samples.get(side)?.push(await turn(side, round));
  }
  return samples;
}

/** Picks one number out of each sample. */
export const each = <Side, Value>(
  samples: Samples<Side, Value>,
  pick: (value: Value) => number,
): Samples<Side, number> =>
  new Map(Array.from(samples, ([side, values]) => [side, values.map((value) => pick(value))]));

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
