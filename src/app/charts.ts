import { Chart, createCharts } from '../charts/charts.ts';
import type { Charts } from '../charts/charts.ts';
import { createTickets } from '../tickets/tickets.ts';
import type { Ground } from './ground.ts';

/** The pictures of numbers, and the address that they are at. */
export function joinCharts({ config, now }: Pick<Ground, 'config' | 'now'>): Charts {
  const tickets = createTickets(config.secretKeys, now)('chart', Chart);
  return createCharts({ tickets, publicUrl: config.publicUrl });
}
