import { accountRoutes } from './account-routes.ts';
import { installationPath } from './apis.ts';
import { controlRoutes } from './control-routes.ts';
import type { Engine } from './engine.ts';
import type { Route } from './http.ts';
import { createLicenses } from './licenses.ts';
import type { Mood } from './misbehavior.ts';
import { onPremiseRoutes } from './on-premise-routes.ts';
import { createProxyLinks } from './proxy-links.ts';
import { proxyRoutes } from './proxy-routes.ts';
import type { ServiceOptions } from './service.ts';
import { staticRoutes } from './static-routes.ts';
import { visitorRoutes } from './visitor-routes.ts';
import { usualLinkLifetimeMs } from './watch-links.ts';
import { watchRoutes } from './watch-routes.ts';

interface RouteParts {
  readonly options: Pick<
    ServiceOptions,
    'onPremise' | 'proxyEnabled' | 'watchLinkLifetimeMs' | 'shopUrl' | 'story'
  >;
  readonly engine: Engine;
  readonly mood: Mood;
  readonly randomId: () => string;
  readonly origin: () => string;
}

/** Everything the stand-in answers: the rows of the document, the pages of links, its own switches. */
export async function serviceRoutes({
  options,
  engine,
  mood,
  randomId,
  origin,
}: RouteParts): Promise<readonly Route[]> {
  const { onPremise, proxyEnabled = false, watchLinkLifetimeMs: lifetimeMs = usualLinkLifetimeMs } = options;
  const { cloud, installation, bulkDelete } = engine;
  const links = { now: cloud.now, randomId, lifetimeMs };
  const licenses = createLicenses(links);
  const proxyLinks = createProxyLinks(links);
  const { shopUrl, story = false } = options;
  const shop =
    shopUrl === undefined ? undefined : { url: shopUrl, story, tokenOf: engine.siteVisitors.tokenOf };
  const watched = { live: engine.live, shop };
  const connected = onPremise?.connected ?? false;
  return [
    ...(await staticRoutes()),
    ...controlRoutes(mood, onPremise?.restKey !== undefined),
    ...visitorRoutes(cloud, origin, bulkDelete),
    ...accountRoutes({ world: cloud, mood, origin, licenses, proxyLinks, proxyEnabled }),
    ...onPremiseRoutes({
      world: installation,
      origin,
      path: installationPath,
      licenses,
      connected,
    }),
    ...watchRoutes({ world: cloud, ...watched, pages: '/watch' }),
    ...watchRoutes({ world: installation, ...watched, pages: `${installationPath}/watch` }),
    ...proxyRoutes(proxyLinks),
  ];
}
