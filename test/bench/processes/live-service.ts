import { startService } from '../../../sandbox/service/service.ts';

/* The stand-in service in a process of its own, so that its CPU can be told from that of who drives it. */

const sessions = Number(process.argv[2]);
const seed = Array.from({ length: sessions }, (_, index) => ({ short_id: `v${index}`, is_online: true }));
const service = await startService({ apiKey: 'bench', sessionLimit: sessions, seed });
const tokens = seed.map(({ short_id }) => service.visitorToken(short_id));

process.on('message', (message) => {
  if (message === 'stop') void service.close().then(() => process.exit(0));
  else process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit(1));
process.send?.({ url: service.url, siteKey: service.siteKey, tokens });
