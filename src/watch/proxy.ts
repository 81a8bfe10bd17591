import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { needAccount } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { defineCommand } from '../commands/command.ts';
import { requiredText } from '../commands/typed.ts';
import { DrawnProxy, valueOf, type ProxyPress, type ProxyRequest } from '../messages/link-request.ts';
import { button, buttons, context, lines, message, type Message } from '../messages/message.ts';
import { bold, short, type Line } from '../messages/text.ts';
import type { WatchTarget } from '../messages/visitor-pieces.ts';
import type { Buttons } from './buttons.ts';
import type { DefineLinkPress } from './handle-press.ts';
import { linkHereAgain, linkReady } from './link-here.ts';

type Proxy = ProxyRequest['proxy'];

/** "Proxy session starting at shop.example/start". */
export function proxyLine(proxy: Proxy): Line {
  return about(proxy)[0] ?? [];
}

function about({ initialUrl, allowedDomains }: Proxy): readonly Line[] {
  const url = URL.parse(initialUrl);
  const start = short(url === null ? initialUrl : url.host + url.pathname, 150);
  const domains = allowedDomains.map((domain) => short(domain, 60));
  const limits =
    domains.length === 0
      ? 'The customer can leave this site.'
      : `The customer can only visit pages on ${domains.join(', ')}.`;
  // Source: the service's document calls whoever is sent to the start the visitor.
  const whose =
    'Whoever opens the link is the customer in this session. The button opens it in your browser.';
  return [['Proxy session starting at ', bold(start)], [limits], [whose]];
}

function proxyButton({ isAnswered, ...target }: WatchTarget) {
  return button({
    text: 'Start proxy session',
    actionId: isAnswered ? 'proxy_here' : 'proxy',
    label: 'Start proxy session',
    style: 'primary',
    ...target,
  });
}

/** The link is made when the button is pressed, and isn't in the message. */
export const proxyOffer = (proxy: Proxy, target: WatchTarget): Message =>
  message(
    lines(...about(proxy)),
    buttons(proxyButton(target)),
    context('The button opens a new link each time.'),
  );

const proxyAgain = (proxy: Proxy, target: WatchTarget): Message =>
  message(
    lines(...about(proxy), ['The link expired. Press the button for a new one.']),
    buttons(proxyButton(target)),
  );

const MOST_DOMAINS = 20;
const LONGEST_TYPED = 1_000;
/** As JSON: this fits into a button's value and, sealed, into an address of ours. A letter of another script takes nine. */
const LONGEST_SENT = 1_200;
const TOO_LONG = 'That’s too long for a Slack button. Use a shorter address or fewer domains.';

const DOMAIN = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** As browsers compare it: lower case, other scripts as Punycode. Text that isn't a domain stays as it is. */
const inAscii = (domain: string) => domainToASCII(domain) || domain;

/** A page as people type it, without https://. */
const BARE_PAGE = /^(?:[\p{L}\p{M}\p{N}-]+\.)+[\p{L}\p{M}\p{N}-]+(?::\d+)?(?:[/?#]|$)/u;

function complaintAbout(address: string, domains: readonly string[]): string | undefined {
  const url = URL.parse(address);
  if (url === null)
    return 'Start with the address of the page where the customer begins, such as shop.example/start.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The address must start with https:// or http://.';
  if (url.username !== '' || url.password !== '') return 'The address can’t contain a user name or password.';
  const bad = domains.find((domain) => !DOMAIN.test(domain));
  if (bad !== undefined)
    return `“${bad}” isn’t a domain. Type domains like shop.example, separated by spaces.`;
  return domains.length > MOST_DOMAINS ? `At most ${MOST_DOMAINS} domains, please.` : undefined;
}

/** "shop.example/start shop.example, pay.example" */
const proxyArgument = requiredText(
  'Add the page to start on, such as shop.example/start.',
  LONGEST_TYPED,
).transform((text, issues): ProxyPress => {
  const [typed = '', ...rest] = text.split(/[\s,]+/).filter((word) => word !== '');
  const address = BARE_PAGE.test(typed) ? `https://${typed}` : typed;
  const allowedDomains = rest.map(inAscii);
  const complaint = complaintAbout(address, allowedDomains);
  const proxy = { initialUrl: URL.parse(address)?.href ?? '', allowedDomains };
  if (complaint === undefined && JSON.stringify(proxy).length <= LONGEST_SENT) return { proxy };
  issues.addIssue(complaint ?? TOO_LONG);
  return z.NEVER;
});

export function createProxyCommand(defineLinkPress: DefineLinkPress, pressTarget: Buttons['pressTarget']) {
  const proxyPress = (actionId: string, by: 'address' | 'answer') =>
    defineLinkPress({
      actionId,
      drawn: DrawnProxy,
      by,
      async prepare(drawn, presser) {
        const { press } = drawn;
        const line = proxyLine(press.proxy);
        const again =
          by === 'address'
            ? proxyAgain(press.proxy, await pressTarget(press, presser))
            : linkHereAgain(line, 'proxy', valueOf(drawn));
        return {
          ready: (made) => linkReady(made, again, line, { text: 'Open the proxy session' }),
          // A session that hasn't begun has no one to join.
          inUse: () => again,
        };
      },
    });

  return defineCommand({
    name: 'proxy',
    usage: 'proxy <address> [domains]',
    summary: 'Co-browse on a site without the snippet installed',
    right: 'watch',
    needs: 'createProxyLink',
    argument: proxyArgument,
    async run(press, caller) {
      needAccount(caller.workspace.cobrowse);
      if (!caller.workspace.cobrowse.offers.createProxyLink)
        throw new CobrowseError('not-offered', 'No proxy sessions here.');
      return proxyOffer(press.proxy, await pressTarget(press, caller));
    },
    presses: [proxyPress('proxy', 'address'), proxyPress('proxy_here', 'answer')],
  });
}
