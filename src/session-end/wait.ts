/** A time to wait for, and when it was reckoned; both in ms since 1970. */
export interface Wait {
  readonly until: number;
  readonly from: number;
}

export const NO_WAIT: Wait = { until: 0, from: 0 };

/** A clock that was put back since it was reckoned ends a wait: nobody knows how long it still should be. */
export function isOver({ until, from }: Wait, time: number): boolean {
  return until <= time || time < from;
}
