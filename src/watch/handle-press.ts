import type { z } from 'zod';
import type { Presser } from '../commands/rights.ts';
import { definePress, jsonText, type Press } from '../commands/command.ts';
import { buttonOf, type Drawn, type LinkPress, type LinkRequest } from '../messages/link-request.ts';
import type { Message } from '../messages/message.ts';
import type { App } from '../parts.ts';
import type { Made } from './link-here.ts';
import type { Authorizer, Decision, IssueLink } from './link-requests.ts';
import { pressRefused } from './pages.ts';
import { isLate, type Presses } from './presses.ts';
import type { UnconfirmedPresses } from './unconfirmed-presses.ts';

/** Used if the service doesn't say how long a link lives: short, as its links are. */
const ASSUMED_LIFETIME_MS = 120_000;

/** Prepared before the link is made, so that no link is wasted, and only for people who can watch. */
interface Answers {
  ready(made: Made): Message;
  /** Asks whether to join someone who opened the same screen, or to open another. */
  inUse(by: { readonly userId: string; readonly at: Date }): Message;
}

/** In the channel that the button belongs to (whoever has left it can't watch), else where it was pressed. */
function requestOf({ press, place }: Drawn, presser: Presser): LinkRequest {
  const { workspaceId, userId } = presser;
  const { channelId, threadTs, askedIn, notes, ticketUrl } = place ?? presser;
  const { isAsked } = place ?? {};
  return { workspaceId, userId, channelId, threadTs, askedIn, notes, ticketUrl, isAsked, ...press };
}

export type DefineLinkPress = ReturnType<typeof createDefineLinkPress>;

interface LinkPressParts {
  readonly authorize: Pick<Authorizer, 'watch' | 'refuse'>;
  readonly presses: Pick<Presses, 'record' | 'useFirst'>;
  readonly issueLink: IssueLink;
  /** Otherwise the page alone asks who may watch: there the ticket is proof enough. */
  readonly needsPress: boolean;
  /** Whether somebody stands between Slack and the app who could hold a press back. */
  readonly isOverHttp: boolean;
  readonly unconfirmedPresses: Pick<UnconfirmedPresses, 'confirm' | 'forget'>;
  readonly report: (outcome: 'answered', request: LinkRequest) => void;
}

interface LinkButton<Asked extends LinkPress> {
  readonly actionId: string;
  readonly drawn: z.ZodType<Drawn<Asked>>;
  /** `address`: the button's address makes the link, if it has one. `answer`: the link always comes in the answer. */
  readonly by: 'address' | 'answer';
  /** Whether the presser has already been asked to join somebody with a link, or to open another. */
  readonly joins?: boolean;
  /** Called once they may watch and before there is a link: what fails in it wastes none. */
  readonly prepare: (drawn: Drawn<Asked>, presser: Presser) => Promise<Answers>;
}

/** Where others see a button, they can press it, too. */
const decide = (
  { authorize }: LinkPressParts,
  drawn: Drawn,
  { workspace, userId }: Presser,
  request: LinkRequest,
): Promise<Decision> =>
  drawn.for === userId ? authorize.watch(workspace, request) : authorize.refuse(request, 'someone-else');

/** For a button whose own address makes the link: the press is its proof. */
async function prove(now: () => number, own: LinkPressParts, drawn: Drawn, presser: Presser) {
  const { authorize, presses, unconfirmedPresses } = own;
  if (!own.needsPress && drawn.for === presser.userId) return undefined;
  const request = requestOf(drawn, presser);
  const decision = await (own.isOverHttp && isLate(presser.press, now())
    ? authorize.refuse(request, 'late')
    : decide(own, drawn, presser, request));
  const refused = 'refused' in decision ? decision.refused : undefined;
  await presses.record(buttonOf(request), presser.press, refused);
  // After the record, so that the page doesn't wait for it.
  if ('refused' in decision || decision.allowed.losesPresses) await unconfirmedPresses.forget(presser);
  return refused && pressRefused(refused);
}

export function createDefineLinkPress(
  { publicUrl, now }: Pick<App, 'publicUrl' | 'now'>,
  own: LinkPressParts,
) {
  const { authorize, presses, unconfirmedPresses } = own;

  /** For a button without an address. Says nothing to a press sent again or a second click. Rejects with a CobrowseError. */
  async function link(drawn: Drawn, presser: Presser, joins: boolean, prepare: () => Promise<Answers>) {
    const request = requestOf(drawn, presser);
    const { workspaceId, key } = buttonOf(request);
    // Apart from the presses of a button whose address makes the link, and of the one before it: none of them is its double tap.
    const button = { workspaceId, key: `${joins ? 'join' : 'answer'} ${key}` };
    if (!(await presses.useFirst(button, presser.press))) return undefined;
    const first = await decide(own, drawn, presser, request);
    if ('refused' in first) return pressRefused(first.refused);
    if (first.allowed.losesPresses) await unconfirmedPresses.confirm(presser);
    // No link is made before there is a place to show it.
    await presser.opened;
    const answers = await prepare();
    // That may have taken long.
    const decision = await authorize.watch(presser.workspace, request);
    if ('refused' in decision) return pressRefused(decision.refused);
    const { underWay } = decision.allowed;
    if (underWay !== undefined && !joins)
      return answers.inUse({ userId: underWay.userId, at: new Date(underWay.at) });
    const made = await own.issueLink(presser.workspace, decision.allowed.request, presser.press.id);
    own.report('answered', request);
    const expiresAt = made.expiresAt ?? new Date(now() + ASSUMED_LIFETIME_MS);
    return answers.ready({ link: made, expiresAt });
  }

  return function defineLinkPress<Asked extends LinkPress>(button: LinkButton<Asked>): Press {
    const { actionId, drawn: schema, by, joins = false, prepare } = button;
    const isProof = by === 'address' && publicUrl !== undefined;
    return definePress({
      actionId,
      answer: 'replace',
      right: 'link',
      value: jsonText.pipe(schema),
      needsAnswer: !isProof,
      run: (drawn, presser) =>
        isProof
          ? prove(now, own, drawn, presser)
          : link(drawn, presser, joins, () => prepare(drawn, presser)),
    });
  };
}
