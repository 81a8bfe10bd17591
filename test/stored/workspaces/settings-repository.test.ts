import { describe, expect, it } from 'vitest';
import { ACTS } from '../../../src/permissions/permissions.ts';
import {
  WorkspaceSettings,
  channelSetting,
  defaultAccessIn,
  settingOf,
} from '../../../src/workspaces/settings.ts';
import { settingsOn } from '../../admin/settings-stage.ts';
import { engines, openForTwo } from '../../support/engines.ts';

const ada = { workspaceId: 'T1', userId: 'U0ADA' };
const sam = { workspaceId: 'T1', userId: 'U0SAM' };
const rule = (...ids: string[]) => ({ members: false, ids });
const saying = (name: string, value: unknown, version = 0) => ({
  name,
  value,
  version,
  recorded: { setting: name, from: null, to: value },
});

describe.each(engines)('the settings in $engine', ({ newUrl }) => {
  /** As two processes have them. */
  async function openTwice() {
    const [here, there] = await openForTwo(await newUrl());
    return { here: settingsOn(here), there: settingsOn(there) };
  }

  it('lose no change when two admins change different rules and channels at the same time', async () => {
    const { here, there } = await openTwice();
    const outcomes = await Promise.all(
      ACTS.flatMap((act, index) => {
        const { settings } = index % 2 === 0 ? here : there;
        return [
          settings.change(ada, saying(settingOf(act), rule(act))),
          settings.change(ada, saying(channelSetting(`C${index}`), 'view')),
        ];
      }),
    );
    expect(outcomes).toEqual(outcomes.map(() => 'changed'));
    const { rules, channelAccess } = await here.settings.of('T1');
    expect(rules).toEqual(Object.fromEntries(ACTS.map((act) => [act, rule(act)])));
    expect(Object.keys(channelAccess)).toEqual(['C3', 'C2', 'C1', 'C0']);
    expect(here.recorded.length + there.recorded.length).toBe(8);
  });

  it.each([0, 1])(
    'accept one of two changes of the same setting from version %i, and say who made it',
    async (version) => {
      const { here, there } = await openTwice();
      if (version === 1) await here.settings.change(ada, saying('may-watch', rule()));
      here.recorded.length = 0;
      const outcomes = await Promise.all([
        here.settings.change(ada, saying('may-watch', rule('by Ada'), version)),
        there.settings.change(sam, saying('may-watch', rule('by Sam'), version)),
      ]);
      const isAda = outcomes[0] === 'changed';
      const refused = { by: isAda ? 'U0ADA' : 'U0SAM' };
      expect(outcomes).toEqual(isAda ? ['changed', refused] : [refused, 'changed']);
      expect((await here.settings.of('T1')).rules.watch).toEqual(rule(isAda ? 'by Ada' : 'by Sam'));
      expect([...here.recorded, ...there.recorded]).toMatchObject([refused]);
    },
  );
});

it.each(['C0SALES0002', undefined, 'constructor', 'toString', '__proto__'])(
  'what Watch gives in the channel %s, which has no access of its own, is the workspace’s',
  (channel) => {
    const channelAccess = { C0SUPPORT01: 'view' };
    const settings = WorkspaceSettings.parse({ defaultAccess: 'point', channelAccess });
    expect(defaultAccessIn(settings, channel)).toBe('point');
  },
);
