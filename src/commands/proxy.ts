import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import { ACTION } from '../views/action-ids.ts';
import { linkHereAgain } from '../views/link-here.ts';
import { proxyAgain, proxyLine, proxyLinkReady, proxyOffer } from '../views/proxy.ts';
import { ifAllowed } from './allowed.ts';
import { defineCommand } from './command.ts';
import { DrawnProxy, valueOf } from '../links/link-press.ts';
import type { ProxyPress } from '../links/link-press.ts';
import { defineLinkPress } from './link-press.ts';
import type { Press } from './press.ts';
import { requiredText } from './slack-input.ts';

const MOST_DOMAINS = 20;
const LONGEST_TYPED = 1_000;
/**
 * The longest address and domains as they are sent, where a letter of another script takes nine characters. This fits into
 * a button's value and, sealed with who can press it, into an address of ours.
 */
const LONGEST_SENT = 1_100;

const DOMAIN = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain as browsers compare it: in lower case, other scripts as Punycode. Text that isn't a domain stays as it is. */
const inAscii = (domain: string) => domainToASCII(domain) || domain;

const tooLongWords = (length: number) =>
  `That’s ${length.toLocaleString('en-US')} characters in a browser’s form, and a Slack button holds ` +
  `${LONGEST_SENT.toLocaleString('en-US')}. Use a shorter address or fewer domains.`;

function complaintAboutAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'Start with the full address where the customer begins, including https://.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The address must start with https:// or http://.';
  return url.username === '' && url.password === ''
    ? undefined
    : 'The address can’t contain a user name or password.';
}

/** How much of a button's value they take, counted as JSON with its escapes. */
const lengthSent = ({ initialUrl, allowedDomains }: ProxyPress['proxy']) =>
  [initialUrl, ...allowedDomains].join(' ').length + (initialUrl.match(/\\/g)?.length ?? 0);

/** "https://shop.example/start shop.example, pay.example" */
const proxyArgument = requiredText(
  'Add the page to start on, such as https://shop.example/start.',
  LONGEST_TYPED,
).transform((text, context): ProxyPress => {
  const [address = '', ...rest] = text.split(/[\s,]+/).filter((word) => word !== '');
  const allowedDomains = rest.map(inAscii);
  const bad = allowedDomains.find((domain) => !DOMAIN.test(domain));
  const complaint =
    complaintAboutAddress(address) ??
    (bad === undefined
      ? undefined
      : `“${bad}” isn’t a domain. Type domains like shop.example, separated by spaces.`) ??
    (allowedDomains.length > MOST_DOMAINS ? `At most ${MOST_DOMAINS} domains, please.` : undefined);
  const proxy = { initialUrl: URL.parse(address)?.href ?? '', allowedDomains };
  const length = lengthSent(proxy);
  if (complaint === undefined && length <= LONGEST_SENT) return { proxy };
  context.addIssue(complaint ?? tooLongWords(length));
  return z.NEVER;
});

export const proxyCommand = defineCommand({
  name: 'proxy',
  usage: 'proxy <address> [domains]',
  summary: 'Co-browse on a site without the snippet installed',
  needs: 'createProxyLink',
  argument: proxyArgument,
  run: (press, caller, services) =>
    ifAllowed('watch', { caller, services }, async () => {
      const { cobrowse, pressTarget } = services;
      if (!cobrowse.offers.createProxyLink) throw new CobrowseError('not-offered', 'No proxy sessions here.');
      return proxyOffer(press.proxy, await pressTarget(press, caller));
    }),
  presses: [proxyPress(ACTION.proxy, 'address'), proxyPress(ACTION.proxyHere, 'answer')],
});

function proxyPress(actionId: string, by: 'address' | 'answer'): Press {
  return defineLinkPress({
    actionId,
    drawn: DrawnProxy,
    by,
    async prepare(drawn, presser, { pressTarget }) {
      const { press } = drawn;
      const again =
        by === 'address'
          ? proxyAgain(press.proxy, await pressTarget(press, presser))
          : linkHereAgain(proxyLine(press.proxy), 'proxy', valueOf(drawn));
      return {
        ready: (made) => proxyLinkReady({ proxy: press.proxy, ...made }, again),
        // A session that hasn't begun has no one to join.
        inUse: () => again,
      };
    },
  });
}
