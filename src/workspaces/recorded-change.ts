import { z } from 'zod';
import { ACTS, Rule } from '../permissions/acts.ts';
import type { Act } from '../permissions/acts.ts';
import { Access } from '../permissions/access.ts';
import { settingOf } from './settings.ts';

type Change<Value> = { readonly from: Value; readonly to: Value };

/** A change of a setting, read back from the audit. */
export type RecordedChange =
  | ({ readonly setting: 'rule'; readonly act: Act } & Change<Rule>)
  | ({ readonly setting: 'maxAccess' | 'defaultAccess' } & Change<Access>)
  | ({ readonly setting: 'channelAccess' } & Change<Readonly<Record<string, Access>>>);

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('no JSON');
    return z.NEVER;
  }
});

const Recorded = z.object({ setting: z.string(), from: json, to: json });

const changeOf = <Value>(value: z.ZodType<Value>) => z.object({ from: value, to: value });
const RuleChange = changeOf(Rule);
const AccessChange = changeOf(Access);
const ChannelsChange = changeOf(z.record(z.string(), Access));

/** @returns undefined for an entry of another kind, or of another version of the app */
export function readRecordedChange(detail: unknown): RecordedChange | undefined {
  const { data } = Recorded.safeParse(detail);
  if (data === undefined) return undefined;
  const { setting } = data;
  if (setting === 'maxAccess' || setting === 'defaultAccess') {
    const accessLevels = AccessChange.safeParse(data).data;
    return accessLevels && { setting, ...accessLevels };
  }
  if (setting === 'channelAccess') {
    const channels = ChannelsChange.safeParse(data).data;
    return channels && { setting, ...channels };
  }
  const act = ACTS.find((one) => settingOf(one) === setting);
  const rules = RuleChange.safeParse(data).data;
  return act && rules && { setting: 'rule', act, ...rules };
}
