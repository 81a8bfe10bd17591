import { z } from 'zod';

/**
 * How a method misbehaves: a Slack error code, a 429 (in seconds), another status, `hang` for no answer at all,
 * `lose-answer` to do the work and drop the connection, `slowMs` to wait that long and then work as usual.
 */
export type Misbehavior =
  | string
  | { readonly retryAfter: number }
  | { readonly status: number }
  | { readonly slowMs: number };

/** A way to misbehave, and the share of calls that do, from 0 to 1. */
export interface Share {
  readonly how: Misbehavior;
  readonly share: number;
}

export interface Misbehaviors {
  /** The next `times` calls whose arguments say `about`. */
  set(method: string, how: Misbehavior, times: number, about?: string): void;
  /** A share of all calls from now on, besides those from `set`; an empty list ends it. */
  setShares(method: string, shares: readonly Share[]): void;
  next(method: string, args: unknown): Misbehavior | undefined;
}

/** @param chance numbers from 0 below 1 that decide which calls are in the share */
export const createMisbehaviors = (chance: () => number): Misbehaviors => {
  const planned = new Map<
    string,
    { readonly how: Misbehavior; readonly times: number; readonly about: string }
  >();
  const shared = new Map<string, readonly Share[]>();
  return {
    set: (method, how, times, about = '') => void planned.set(method, { how, times, about }),
    setShares: (method, shares) => void shared.set(method, shares),
    next(method, args) {
      const plan = planned.get(method);
      if (plan !== undefined && plan.times > 0 && says(args, plan.about)) {
        planned.set(method, { ...plan, times: plan.times - 1 });
        return plan.how;
      }
      const shares = shared.get(method) ?? [];
      return shares.length === 0 ? undefined : drawn(shares, chance());
    },
  };
};

const says = (args: unknown, about: string): boolean =>
  about === '' || (JSON.stringify(args) ?? '').includes(about);

const drawn = (shares: readonly Share[], number: number): Misbehavior | undefined => {
  let below = 0;
  for (const { how, share } of shares) {
    below += share;
    if (number < below) return how;
  }
  return undefined;
};

/** A request to the running stand-in: `times` or `share`, or only the method, which then behaves again. */
export const misbehaviorRequest = z.strictObject({
  method: z.string().min(1),
  how: z
    .union([
      z.string().min(1),
      z.strictObject({ retryAfter: z.number().min(0) }),
      z.strictObject({ status: z.int().min(400).max(599) }),
      z.strictObject({ slowMs: z.number().min(0) }),
    ])
    .optional(),
  times: z.int().min(1).optional(),
  share: z.number().min(0).max(1).optional(),
});

export const applyRequest = (
  misbehaviors: Misbehaviors,
  { method, how, times = 1, share }: z.output<typeof misbehaviorRequest>,
): void => {
  misbehaviors.set(method, '', 0);
  misbehaviors.setShares(method, []);
  if (how === undefined) return;
  if (share === undefined) misbehaviors.set(method, how, times);
  else misbehaviors.setShares(method, [{ how, share }]);
};
