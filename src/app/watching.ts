import type { Services } from '../commands/services.ts';
import type { PressGrant } from '../grants/grant.ts';
import { valueOf } from '../grants/link-press.ts';
import { powersUpTo } from '../grants/power.ts';
import { usualPowerIn } from '../grants/settings.ts';
import { joinGiving } from './giving.ts';
import type { Giving, GivingParts } from './giving.ts';
import { endNewsOf } from './ground.ts';
import type { WatchServices } from './services.ts';

/** How long a Watch button may be pressed after it was drawn. */
const WATCH_TICKET_MS = 30 * 60 * 1_000;

type Watching = Pick<Services, WatchServices> & Pick<Giving, 'routes' | 'stop'>;

type Tools = Pick<Services, 'pressTarget' | 'visitorTools' | 'startOptions'>;

/** What buttons say and where they lead. */
function joinTools({ ground, settings }: Pick<GivingParts, 'ground' | 'settings'>): Tools {
  const { config, cobrowse, watchTickets } = ground;
  const { publicUrl } = config;

  const pressTarget: Services['pressTarget'] = (press, caller) => {
    const { workspaceId, userId, channelId, threadTs, notes } = caller;
    const value = valueOf({ press, for: userId });
    if (publicUrl === undefined) return { value };
    const grant: PressGrant = { workspaceId, userId, channelId, threadTs, notes, ...press };
    return { value, url: `${publicUrl}/watch/${watchTickets.issue(grant, WATCH_TICKET_MS)}` };
  };

  return {
    pressTarget,
    async visitorTools(caller) {
      const book = await settings.of(caller.workspaceId);
      return {
        canStop: cobrowse.offers.stopSession,
        targetsOf: (visitorId) => ({
          usual: pressTarget({ visitorId, power: usualPowerIn(book, caller.channelId) }, caller),
          choices: powersUpTo(book.mostPower).map((power) => ({
            power,
            target: pressTarget({ visitorId, power }, caller),
          })),
        }),
      };
    },
    async startOptions(workspaceId) {
      const book = await settings.of(workspaceId);
      const powers = powersUpTo(book.mostPower);
      const usual = usualPowerIn(book, undefined);
      if (endNewsOf(ground) === 'never') return { powers, usual, summariesTo: 'nowhere' };
      const { summaryChannel } = config;
      return {
        powers,
        usual,
        summariesTo: summaryChannel === undefined ? 'person' : { channelId: summaryChannel },
      };
    },
  };
}

/** From the Watch button to the link. */
export function joinWatching(parts: GivingParts): Watching {
  const { routes, atPress, stop } = joinGiving(parts);
  return {
    ...joinTools(parts),
    routes,
    stop,
    addressMakesLink: parts.ground.config.publicUrl !== undefined,
    provePress: (drawn, presser) => atPress.prove(drawn, presser),
    linkAtPress: (drawn, presser, joins, prepare) => atPress.link(drawn, presser, joins, prepare),
  };
}
