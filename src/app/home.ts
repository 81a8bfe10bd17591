import type { App } from '@slack/bolt';
import { createCharts } from '../charts/charts.ts';
import { UsageChart } from '../charts/usage-chart.ts';
import type { Services } from '../commands/services.ts';
import type { GrantRecords } from '../grants/records.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { createGather } from '../home/gather.ts';
import { createHome } from '../home/home.ts';
import { createAdminSettings } from '../home/settings.ts';
import type { Viewer } from '../home/viewer.ts';
import type { Route } from '../http/routes.ts';
import type { Answerer } from '../slack/answer.ts';
import { listenForHome } from '../slack/home-listener.ts';
import type { People } from '../slack/people.ts';
import { createTickets } from '../tickets/tickets.ts';
import { tellsOfEnds } from './ground.ts';
import type { Ground } from './ground.ts';

interface HomeParts {
  readonly ground: Ground;
  readonly people: People;
  readonly services: Pick<Services, 'visitorTools' | 'externalIdOf'>;
  readonly settings: SettingsBook;
  readonly grants: GrantRecords;
  readonly answerer: Answerer;
}

/** The Home tab, the admins' settings in it, and the address of its picture. */
export function joinHome(parts: HomeParts): { readonly route: Route; listen(bolt: App): void } {
  const { ground, people, services, settings, grants, answerer } = parts;
  const { config, cobrowse, log, now } = ground;
  const charts = createCharts({
    tickets: createTickets(config.secretKeys, now)('chart', UsageChart),
    publicUrl: config.publicUrl,
  });
  const report = (error: unknown, viewer: Viewer) =>
    log.warn({ ...viewer, err: error }, 'a part of the Home could not be had');
  const gather = createGather({
    cobrowse,
    profileOf: (workspaceId, userId) => people.profileOf(workspaceId, userId),
    externalIdOf: services.externalIdOf,
    visitorTools: services.visitorTools,
    linksOf: (workspaceId, userId, limit) => grants.of(workspaceId, userId, limit),
    settingsOf: (workspaceId) => settings.of(workspaceId),
    pictureOf: (usage) => charts.pictureOf(usage),
    tellsEnds: tellsOfEnds(ground),
    now,
    report,
  });
  const adminSettings = createAdminSettings({
    book: settings,
    isAdmin: async ({ workspaceId, userId }) => (await people.profileOf(workspaceId, userId)).isAdmin,
    record: (viewer, changes) => log.info({ ...viewer, changes }, 'settings changed'),
  });
  const home = createHome({ gather, report });
  return {
    route: charts.route,
    listen: (bolt) => listenForHome(bolt, { answerer, home, settings: adminSettings }),
  };
}
