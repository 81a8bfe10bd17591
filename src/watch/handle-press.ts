import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { pressKeyOf } from '../messages/link-press.ts';
import type { Drawn, Place, SignedPress } from '../messages/link-press.ts';
import type { PressRefusal } from './press-refusals.ts';
import type { Authorizer, Judged } from './authorize.ts';
import type { IssueLink } from './issue-link.ts';
import type { LostPresses } from './lost-presses.ts';
import type { Presses } from './presses.ts';
import type { SendOffer } from './send-offer.ts';

/** Who pressed, and where. */
export interface Presser extends Place {
  readonly workspaceId: string;
  readonly userId: string;
  readonly press: SignedPress;
}

/**
 * What came of a press that itself asks for a link, with what was prepared. `repeated`: it was answered before, or is the
 * second of a double click, whose first is answered.
 */
export type PressOutcome<Prepared> =
  | { readonly is: 'link'; readonly link: WatchLink; readonly prepared: Prepared }
  | {
      readonly is: 'in-use';
      /** Who has a link already: somebody else, or the presser. */
      readonly by: { readonly userId: string; readonly at: Date };
      readonly prepared: Prepared;
    }
  | { readonly is: 'refused'; readonly why: PressRefusal }
  | { readonly is: 'repeated' };

export interface PressHandler {
  /** Of a button whose own address makes the link: takes the press in as its proof. Undefined: nothing to say. */
  prove(drawn: Drawn, presser: Presser): Promise<PressRefusal | undefined>;
  /**
   * Of a button without an address: makes the link. Rejects with a CobrowseError.
   * @param joins whether the presser was asked to join somebody who has a link already, or to open another
   * @param prepare called once they may watch and before there is a link: what fails in it wastes none
   */
  link<Prepared>(
    drawn: Drawn,
    presser: Presser,
    joins: boolean,
    prepare: () => Promise<Prepared>,
  ): Promise<PressOutcome<Prepared>>;
}

interface PressHandlerParts {
  readonly authorize: Authorizer;
  readonly presses: Pick<Presses, 'record' | 'spend' | 'spendFirst' | 'endAct'>;
  readonly issueLink: IssueLink;
  /** Whether the page itself asks who may watch, because there the ticket is proof enough. */
  readonly pageJudges: boolean;
  /** Why the time of a press keeps it from proving that who opens the page just pressed; undefined where it doesn't. */
  readonly reasonAgainstTime: (press: SignedPress) => PressRefusal | undefined;
  /** Resolves once a page that opens with the press would have come. */
  readonly pageTime: () => Promise<void>;
  readonly sendOffer: SendOffer;
  readonly lostPresses: Pick<LostPresses, 'confirm' | 'forget'>;
  /** Called with each link. */
  readonly given: (order: LinkRequest) => void;
}

/**
 * What the presser is to be given. Its channel is the one that the button belongs to, wherever it is, since who left that
 * may not; where the button doesn't say, it's where it was pressed.
 */
function orderOf({ press, place }: Drawn, presser: Presser): LinkRequest {
  const { workspaceId, userId } = presser;
  const { channelId, threadTs, notes } = place ?? presser;
  return { workspaceId, userId, channelId, threadTs, notes, ...press };
}

export function createPressHandler(parts: PressHandlerParts): PressHandler {
  const {
    authorize,
    presses,
    issueLink,
    pageJudges,
    reasonAgainstTime,
    pageTime,
    sendOffer,
    lostPresses,
    given,
  } = parts;

  /** Where a button can be seen by others, they can press it, too. */
  const checkRule = (drawn: Drawn, order: LinkRequest): Promise<Judged> =>
    drawn.for === order.userId ? authorize.watch(order) : authorize.refuse(order, 'someone-else');

  /** Another page of the same button may still take the press; where none does, it still leads somewhere. */
  async function offerUnlessTaken(order: LinkRequest, { id }: SignedPress): Promise<void> {
    await pageTime();
    if (await presses.spend(order.workspaceId, id)) await sendOffer(order, true);
  }

  return {
    async prove(drawn, presser) {
      if (pageJudges && drawn.for === presser.userId) return undefined;
      const order = orderOf(drawn, presser);
      const tooOld = reasonAgainstTime(presser.press);
      const { refused, facts } = await (tooOld === undefined
        ? checkRule(drawn, order)
        : authorize.refuse(order, tooOld));
      const wanted = { workspaceId: presser.workspaceId, key: pressKeyOf(order) };
      const { isTaken, isGivenUp } = await presses.record(wanted, presser.press, { refused });
      // After the record, so that the page doesn't wait for it. A page that gave up may have raised the suspicion since.
      if (isGivenUp || facts?.losesPresses !== false) await lostPresses.forget(presser);
      if (refused === undefined && isGivenUp && !isTaken) await offerUnlessTaken(order, presser.press);
      return refused;
    },
    async link(drawn, presser, joins, prepare) {
      const order = orderOf(drawn, presser);
      // Apart from the presses of a button whose address makes the link: one that follows such a press is no double tap.
      const wanted = { workspaceId: presser.workspaceId, key: `answer ${pressKeyOf(order)}` };
      if (!(await presses.spendFirst(wanted, presser.press))) return { is: 'repeated' };
      try {
        const judged = await checkRule(drawn, order);
        if (judged.refused !== undefined) return { is: 'refused', why: judged.refused };
        if (judged.facts.losesPresses) await lostPresses.confirm(presser);
        const prepared = await prepare();
        // That may have taken long.
        const { refused, facts } = await authorize.watch(order);
        if (refused !== undefined) return { is: 'refused', why: refused };
        const underWay = joins ? undefined : facts.underWay;
        if (underWay !== undefined)
          return { is: 'in-use', by: { userId: underWay.userId, at: new Date(underWay.at) }, prepared };
        const link = await issueLink(order, facts, presser.press.id);
        given(order);
        return { is: 'link', link, prepared };
      } finally {
        // From here on the button is gone, or in an answer that offers the same again. A failure here must not cost the
        // link, nor hide another error: then the next press within a second counts as a double tap, and that is all.
        await presses.endAct(wanted, presser.press).catch(() => undefined);
      }
    },
  };
}
