import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { PressGrant } from '../grants/grant.ts';
import { pressKeyOf } from '../grants/link-press.ts';
import type { Drawn, Place, SignedPress } from '../grants/link-press.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import type { Judge, Wish } from './judge.ts';
import type { Mint } from './mint.ts';
import type { OthersLink } from './others.ts';
import type { Presses } from './presses.ts';
import type { SendOffer } from './send-offer.ts';
import type { TicketUses } from './ticket-uses.ts';

/** Who pressed, and where. */
export interface Presser extends Place {
  readonly workspaceId: string;
  readonly userId: string;
  readonly press: SignedPress;
}

/** What came of a press that itself asks for a link, with what was prepared. `repeated`: it was answered before. */
export type PressOutcome<Prepared> =
  | { readonly is: 'link'; readonly link: WatchLink; readonly prepared: Prepared }
  | {
      readonly is: 'in-use';
      readonly by: { readonly userId: string; readonly at: Date };
      readonly prepared: Prepared;
    }
  | { readonly is: 'refused'; readonly why: PressRefusal }
  | { readonly is: 'repeated' };

export interface AtPress {
  /** Of a button whose own address makes the link: takes the press in as its proof. Undefined: nothing to say. */
  prove(drawn: Drawn, presser: Presser): Promise<PressRefusal | undefined>;
  /**
   * Of a button without an address: makes the link. Rejects with a CobrowseError.
   * @param joins whether the presser was told of the link that somebody else was given
   * @param prepare called once they may watch and before there is a link: what fails in it wastes none
   */
  link<Prepared>(
    drawn: Drawn,
    presser: Presser,
    joins: boolean,
    prepare: () => Promise<Prepared>,
  ): Promise<PressOutcome<Prepared>>;
}

interface AtPressParts {
  readonly judge: Judge;
  readonly presses: Pick<Presses, 'record' | 'spend'>;
  readonly mint: Mint;
  readonly othersLink: OthersLink;
  /** Whether the page itself asks who may watch, because there the ticket is proof enough. */
  readonly pageJudges: boolean;
  /** Whether Slack's word of a press comes too late to prove that who opens the page just pressed. */
  readonly isLate: (press: SignedPress) => boolean;
  readonly uses: Pick<TicketUses, 'hasGivenUp'>;
  /** Resolves once a page that opens with the press would have come. */
  readonly pageTime: () => Promise<void>;
  readonly sendOffer: SendOffer;
  /** Told of each link. */
  readonly given: (grant: PressGrant) => void;
}

/** What the presser is to be given: where the button does not say where it belongs, where it was pressed. */
function grantOf({ press, place }: Drawn, presser: Presser): PressGrant {
  const { workspaceId, userId } = presser;
  const { channelId, threadTs, notes } = place ?? presser;
  return { workspaceId, userId, channelId, threadTs, notes, ...press };
}

function wishOf(drawn: Drawn, presser: Presser): Wish {
  const { workspaceId, userId } = presser;
  // The channel that the button belongs to, wherever it is: who left it may not.
  const { channelId } = drawn.place ?? presser;
  const visitor = 'visitorId' in drawn.press ? { visitorId: drawn.press.visitorId } : {};
  return { workspaceId, userId, channelId, ...visitor };
}

export function createAtPress(parts: AtPressParts): AtPress {
  const { judge, presses, mint, othersLink, pageJudges, isLate, uses, pageTime, sendOffer, given } = parts;

  /** Where a button can be seen by others, they can press it, too. */
  async function reasonAgainst(drawn: Drawn, presser: Presser): Promise<PressRefusal | undefined> {
    const wish = wishOf(drawn, presser);
    return drawn.for === wish.userId ? judge.watch(wish) : judge.refuse(wish, 'someone-else');
  }

  /** Another page of the same button may still take the press; where none does, it still leads somewhere. */
  async function offerUnlessTaken(grant: PressGrant, { id }: SignedPress): Promise<void> {
    await pageTime();
    if (await presses.spend(grant.workspaceId, id)) await sendOffer(grant, true);
  }

  return {
    async prove(drawn, presser) {
      if (pageJudges && drawn.for === presser.userId) return undefined;
      const refused = isLate(presser.press)
        ? await judge.refuse(wishOf(drawn, presser), 'late')
        : await reasonAgainst(drawn, presser);
      const grant = grantOf(drawn, presser);
      const key = pressKeyOf(grant);
      const wanted = { workspaceId: presser.workspaceId, key };
      await presses.record(wanted, presser.press, refused);
      if (refused === undefined && (await uses.hasGivenUp(wanted)))
        await offerUnlessTaken(grant, presser.press);
      return refused;
    },
    async link(drawn, presser, joins, prepare) {
      if (!(await presses.spend(presser.workspaceId, presser.press.id))) return { is: 'repeated' };
      const why = await reasonAgainst(drawn, presser);
      if (why !== undefined) return { is: 'refused', why };
      const prepared = await prepare();
      const grant = grantOf(drawn, presser);
      const other = joins ? undefined : await othersLink(grant);
      if (other !== undefined)
        return { is: 'in-use', by: { userId: other.userId, at: new Date(other.at) }, prepared };
      const link = await mint(grant);
      given(grant);
      return { is: 'link', link, prepared };
    },
  };
}
