import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import { ACTION } from '../views/action-ids.ts';
import { linkHereAgain } from '../views/link-here.ts';
import { proxyAgain, proxyLine, proxyLinkReady, proxyOffer } from '../views/proxy.ts';
import { ifAllowed } from './allowed.ts';
import { defineCommand } from './command.ts';
import { DrawnProxy, valueOf } from '../grants/link-press.ts';
import type { ProxyPress } from '../grants/link-press.ts';
import { defineLinkPress } from './link-press.ts';
import type { Press } from './press.ts';
import { requiredText } from './slack-input.ts';

const MOST_DOMAINS = 20;
const LONGEST_TYPED = 1_000;
/**
 * The address and its domains as they are sent, where a letter of another script is nine characters. That much fits a
 * button's value and, sealed with who may press it, an address of ours.
 */
const LONGEST_SENT = 1_100;

const DOMAIN = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain as browsers compare it: lower case, and other scripts as Punycode; a text that is none stays. */
const inAscii = (domain: string) => domainToASCII(domain) || domain;

const tooLongWords = (length: number) =>
  `As a browser sends it, that comes to ${length.toLocaleString('en-US')} characters, and a Slack button holds ` +
  `${LONGEST_SENT.toLocaleString('en-US')}. Use a shorter address or fewer domains.`;

function complaintAboutAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null)
    return 'The first word must be the full address where the customer starts, with https://.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The address must begin with https:// or http://.';
  return url.username === '' && url.password === ''
    ? undefined
    : 'The address must not hold a user name or password.';
}

/** How much of a button they take up: what JSON escapes counts as it is written there. */
const lengthSent = ({ initialUrl, allowedDomains }: ProxyPress['proxy']) =>
  [initialUrl, ...allowedDomains].join(' ').length + (initialUrl.match(/\\/g)?.length ?? 0);

/** "https://shop.example/start shop.example, pay.example" */
const proxyArgument = requiredText(
  'Where is the customer to start? The address is missing.',
  LONGEST_TYPED,
).transform((text, context): ProxyPress => {
  const [address = '', ...rest] = text.split(/[\s,]+/).filter((word) => word !== '');
  const allowedDomains = rest.map(inAscii);
  const bad = allowedDomains.find((domain) => !DOMAIN.test(domain));
  const complaint =
    complaintAboutAddress(address) ??
    (bad === undefined
      ? undefined
      : `"${bad}" is no domain. Write domains like shop.example, with spaces between.`) ??
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
  summary: "Lead a customer through pages that lack the service's script.",
  needs: 'createProxyLink',
  argument: proxyArgument,
  run: (press, caller, services) =>
    ifAllowed('watch', { caller, services }, async () => {
      const { cobrowse, pressTarget } = services;
      if (!cobrowse.offers.createProxyLink) throw new CobrowseError('not-offered', 'No proxy sessions here.');
      return proxyOffer(press.proxy, pressTarget(press, caller));
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
          ? proxyAgain(press.proxy, pressTarget(press, presser))
          : linkHereAgain(proxyLine(press.proxy), 'proxy', valueOf(drawn));
      return {
        ready: (made) => proxyLinkReady({ proxy: press.proxy, ...made }, again),
        // Nobody else is in a session that has not begun.
        inUse: () => again,
      };
    },
  });
}
