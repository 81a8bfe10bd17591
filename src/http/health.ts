import { plain, type Route } from './server.ts';

const said = (status: number, body: string) => plain(status, body, { 'cache-control': 'no-store' });

/** Long enough for Slack's own restarts. */
const DISCONNECTED_MS = 60_000;

interface HealthParts {
  readonly database: { readonly check: () => Promise<void> };
  /** Called with the reason the app isn't ready, once until it is: anybody can ask, as often as they like. */
  readonly report: (error: unknown) => void;
  /** How long Socket Mode has had no connection to Slack; 0 with one, and over HTTP. */
  readonly disconnectedMs: () => number;
  /** Aborted when requests should go elsewhere, because the app is about to stop. */
  readonly leaving?: AbortSignal;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
}

/** `GET /healthz`: alive. `GET /readyz`: the database can be written to, Slack's socket is there. `GET /metrics`: Prometheus. */
export function createHealthRoutes(parts: HealthParts): readonly Route[] {
  const { metrics } = parts;
  const isLeaving = () => parts.leaving?.aborted === true;
  let wasReady = true;
  return [
    {
      method: 'GET',
      path: '/healthz',
      handle: () => (isLeaving() ? said(503, 'stopping') : said(200, 'ok')),
    },
    {
      method: 'GET',
      path: '/readyz',
      async handle() {
        if (isLeaving()) return said(503, 'not ready: stopping');
        try {
          await parts.database.check();
          wasReady = true;
          const isDisconnected = parts.disconnectedMs() > DISCONNECTED_MS;
          return isDisconnected ? said(503, 'not ready: no connection to Slack') : said(200, 'ok');
        } catch (error) {
          if (wasReady) parts.report(error);
          wasReady = false;
          return said(503, 'not ready: can’t write to the database');
        }
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => ({
        status: 200,
        headers: { 'content-type': metrics.contentType },
        body: await metrics.text(),
      }),
    },
  ];
}
