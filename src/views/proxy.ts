import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { ProxyGrant } from '../grants/grant.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { linkReady } from './link-button.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { bold } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { short } from './text.ts';
import type { WatchTarget } from './visitor-buttons.ts';

type Proxy = ProxyGrant['proxy'];

/** "A proxy session that starts at shop.example/start". */
export function proxyLine(proxy: Proxy): Line {
  return about(proxy)[0] ?? [];
}

function about({ initialUrl, allowedDomains }: Proxy): readonly Line[] {
  const url = URL.parse(initialUrl);
  const start = short(url === null ? initialUrl : url.host + url.pathname, 150);
  const domains = allowedDomains.map((domain) => short(domain, 60));
  const limits =
    domains.length === 0
      ? 'The customer may go anywhere from there.'
      : `The customer may visit pages on ${domains.join(', ')} only.`;
  return [['A proxy session that starts at ', bold(start)], [limits]];
}

function proxyButton(target: WatchTarget) {
  return button({
    text: 'Start proxy session',
    actionId: ACTION.proxy,
    label: 'Start proxy session',
    style: 'primary',
    ...target,
  });
}

/** A press makes the link; the link itself is in no message. */
export function proxyOffer(proxy: Proxy, target: WatchTarget): Message {
  return message(lines(...about(proxy), ['Each press makes a fresh link.']), buttons(proxyButton(target)));
}

/** In the place of a link that has run out. */
export function proxyAgain(proxy: Proxy, target: WatchTarget): Message {
  return message(
    lines(...about(proxy), ['The link has run out. Press for a fresh one.']),
    buttons(proxyButton(target)),
  );
}

/** The proxy link, where the press itself must bring it. @param instead once the link has run out */
export function proxyLinkReady(
  { proxy, link, expiresAt }: { readonly proxy: Proxy; readonly link: WatchLink; readonly expiresAt: Date },
  instead: Message,
): Message {
  return linkReady({
    about: proxyLine(proxy),
    text: 'Open the proxy session',
    label: 'Open the proxy session',
    link,
    expiresAt,
    instead,
  });
}
