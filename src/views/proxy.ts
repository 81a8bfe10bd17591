import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { ProxyOrder } from '../links/order.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { linkReady } from './link-button.ts';
import { buttons, context, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { bold } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { short } from './text.ts';
import type { WatchTarget } from './visitor-buttons.ts';

type Proxy = ProxyOrder['proxy'];

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
  return [['Proxy session starting at ', bold(start)], [limits]];
}

function proxyButton({ isAnswered, ...target }: WatchTarget) {
  return button({
    text: 'Start proxy session',
    actionId: isAnswered ? ACTION.proxyHere : ACTION.proxy,
    label: 'Start proxy session',
    style: 'primary',
    ...target,
  });
}

/** The link is made when the button is pressed, and isn't in the message. */
export function proxyOffer(proxy: Proxy, target: WatchTarget): Message {
  return message(
    lines(...about(proxy)),
    buttons(proxyButton(target)),
    context('The button opens a new link each time.'),
  );
}

/** Replaces an expired link. */
export function proxyAgain(proxy: Proxy, target: WatchTarget): Message {
  return message(
    lines(...about(proxy), ['The link expired. Press the button for a new one.']),
    buttons(proxyButton(target)),
  );
}

/** The proxy link, where a press in Slack gets it. @param instead once the link has expired */
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
