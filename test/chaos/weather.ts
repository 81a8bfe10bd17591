import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.ts';
import { FAULTS, FLEET_FAULTS, OTHERS, POSTING, USUAL, type Fault } from './faults.ts';
import type { Stage } from './stage.ts';

function pickFault(known: readonly (readonly [string, Fault])[], chance: Chance) {
  let number = chance.next() * known.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const entry of known) {
    number -= entry[1].weight;
    if (number < 0) return entry;
  }
  return chance.pick(known);
}

export interface BadWeather {
  /** How often each thing went wrong. */
  readonly counts: ReadonlyMap<string, number>;
  /** From now on all is well. */
  stop(): Promise<void>;
}

/** Lets one thing after another go wrong, in one workspace or another, or with what they share. */
export function startWeather(stages: readonly Stage[], chance: Chance): BadWeather {
  const { app, store, receiver } = chance.pick(stages);
  const known = Object.entries({ ...FAULTS, ...(app.isFleet ? FLEET_FAULTS : {}), ...store.faults });
  const methods = [...POSTING, ...OTHERS];
  const counts = new Map<string, number>();
  const over = new AbortController();
  const long = new Map<string, Promise<void>>();
  for (const { misbehave } of stages) misbehave(methods, USUAL);
  receiver.misbehave(true);

  async function blow(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(chance.whole(200, 1_500));
      // Beside other work a start may take longer than fair weather lasts: then nobody would ever be served.
      if (chance.happens(0.8)) await app.serves();
      const [name, { befall, isLong = false }] = pickFault(
        known.filter(([one]) => !long.has(one)),
        chance,
      );
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const befalling = befall(chance.pick(stages), chance, over.signal);
      if (isLong)
        long.set(
          name,
          befalling.finally(() => long.delete(name)),
        );
      else await befalling;
    }
  }
  const blowing = blow();
  return {
    counts,
    async stop() {
      over.abort();
      await blowing;
      await Promise.all(long.values());
      receiver.misbehave(false);
      for (const { misbehave, slack } of stages) {
        misbehave(methods, []);
        for (const method of methods) slack.fail(method, 'hang', 0);
      }
    },
  };
}
