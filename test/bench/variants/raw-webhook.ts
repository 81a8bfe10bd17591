import { serveWebhooks } from './webhook-server.ts';

serveWebhooks(() => undefined);
