import { describe, expect, it } from 'vitest';

import { escapeTyped } from '../../../sandbox/slack/escape.ts';

const directory = {
  userId: (name: string) => (name === 'alex' ? 'U0ALEX' : undefined),
  groupId: (handle: string) => (handle === 'support-leads' ? 'S0LEADS' : undefined),
  channelId: (name: string) => (name === 'support' ? 'C0SUPPORT' : undefined),
};

describe('typed text on its way to the app', () => {
  it.each([
    ['find jane', 'find jane'],
    ['find jane@acme.com', 'find <mailto:jane@acme.com|jane@acme.com>'],
    [
      'mail jane.o-hara+x@shop.acme.com.',
      'mail <mailto:jane.o-hara+x@shop.acme.com|jane.o-hara+x@shop.acme.com>.',
    ],
    ['agent @alex', 'agent <@U0ALEX>'],
    ['tell @support-leads', 'tell <!subteam^S0LEADS|@support-leads>'],
    ['agent @nobody', 'agent @nobody'],
    ['in #support, please', 'in <#C0SUPPORT|support>, please'],
    ['in #nowhere', 'in #nowhere'],
    ['tell @here', 'tell <!here>'],
    ['see https://shop.acme.com/cart?a=1&b=2.', 'see <https://shop.acme.com/cart?a=1&amp;b=2>.'],
    ['see shop.acme.com/cart', 'see <http://shop.acme.com/cart|shop.acme.com/cart>'],
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['<!channel>', '&lt;!channel&gt;'],
    ['<@U0ALEX>', '&lt;@U0ALEX&gt;'],
    ['“smart” quotes', '“smart” quotes'],
    ['version 1.2.3', 'version 1.2.3'],
  ])('turns %j into %j', (typed, sent) => {
    expect(escapeTyped(typed, directory)).toBe(sent);
  });
});
