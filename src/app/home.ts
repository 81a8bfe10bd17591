import type { App } from '@slack/bolt';
import type { Charts } from '../charts/charts.ts';
import type { Services } from '../commands/services.ts';
import type { WatchLinks } from '../grants/watch-links.ts';
import { rulesIn } from '../grants/settings.ts';
import type { SettingsRepository } from '../grants/settings-repository.ts';
import { createAdminCheck } from '../home/admin-check.ts';
import type { AdminCheck } from '../home/admin-check.ts';
import { createAdminDeliveries } from '../home/deliveries.ts';
import type { AdminDeliveries } from '../home/deliveries.ts';
import { createGather } from '../home/gather.ts';
import { createHome } from '../home/home.ts';
import { createAdminRules } from '../home/rules.ts';
import { createAdminSettings } from '../home/settings.ts';
import type { SettingsParts } from '../home/settings.ts';
import type { Viewer } from '../home/viewer.ts';
import type { Route } from '../http/routes.ts';
import type { Deliveries } from './deliveries.ts';
import type { Answerer } from '../slack/answer.ts';
import { listenForHome } from '../slack/home-listener.ts';
import { createPayloadReader } from '../slack/read-payload.ts';
import type { People } from '../slack/people.ts';
import { createGroupList } from '../slack/user-groups.ts';
import { HOME_ACTION } from '../views/home-ids.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';

interface HomeParts {
  readonly ground: Ground;
  readonly people: People;
  readonly services: Pick<
    Services,
    'visitorTools' | 'externalIdOf' | 'mayAct' | 'isAdmin' | 'record' | 'recording'
  >;
  readonly settings: SettingsRepository;
  readonly links: WatchLinks;
  readonly answerer: Answerer;
  readonly deliveries: Pick<Deliveries, 'overview' | 'acts'>;
  readonly charts: Charts;
}

function joinAdminDeliveries(
  { ground, services, deliveries: { overview, acts } }: HomeParts,
  isAdmin: AdminCheck,
): AdminDeliveries {
  const { directory, cobrowse, now } = ground;
  return createAdminDeliveries({
    list: (workspaceId, limit) => overview.list(workspaceId, limit),
    retry: (workspaceId, id) => acts.retry(workspaceId, id),
    drop: (workspaceId, id, userId) => acts.drop(workspaceId, id, userId),
    waiting: (workspaceId) => overview.waiting(workspaceId),
    oldest: (workspaceId) => overview.oldest(workspaceId),
    mayKnow: async ({ workspaceId, userId }, channelId) =>
      (await directory.isPublic(workspaceId, channelId)) ||
      (await directory.isInChannel(workspaceId, userId, channelId)) === true,
    nameOf: (visitorId) => cobrowse.visitor(visitorId).then(visitorName, () => undefined),
    isAdmin,
    record: services.record,
    now,
  });
}

/** The Home tab, the admins' settings in it, and the address of its picture. */
export function joinHome(parts: HomeParts): { readonly route: Route; listen(bolt: App): void } {
  const { ground, people, services, settings, links, answerer, charts } = parts;
  const isAdmin = createAdminCheck(services);
  const deliveries = joinAdminDeliveries(parts, isAdmin);
  const { config, cobrowse, log, now } = ground;
  const report = (error: unknown, viewer: Viewer) =>
    log.warn({ ...viewer, err: error }, 'a part of the Home could not be had');
  const gather = createGather({
    cobrowse,
    profileOf: (workspaceId, userId) => people.profileOf(workspaceId, userId),
    externalIdOf: services.externalIdOf,
    visitorTools: services.visitorTools,
    mayAct: services.mayAct,
    record: services.record,
    recording: services.recording,
    linksOf: (workspaceId, userId, limit) => links.of(workspaceId, userId, limit),
    async settingsOf(workspaceId) {
      const own = await settings.of(workspaceId);
      return { ...own, rules: rulesIn(own, config.rules) };
    },
    deliveriesOf: (viewer) => deliveries.of(viewer),
    pictureOf: (usage) => charts.pictureOf(usage),
    tellsEnds: endNewsOf(ground) !== 'never',
    now,
    report,
  });
  const adminParts: SettingsParts = { settings, isAdmin };
  const groupsOf = createGroupList(
    async () => ground.slack,
    (error) => log.warn({ err: error }, 'Slack did not list the user groups'),
  );
  const home = createHome({ gather, report });
  const turn = (viewer: Viewer, before: string) => deliveries.turn(viewer, before);
  return {
    route: charts.route,
    listen: (bolt) =>
      listenForHome(bolt, {
        answerer,
        read: createPayloadReader(log),
        home,
        editSettings: createAdminSettings(adminParts),
        changeRule: createAdminRules({ ...adminParts, usualRules: config.rules, groupsOf }),
        deeds: new Map([
          [HOME_ACTION.retryDelivery, (viewer, id) => deliveries.retry(viewer, id)],
          [HOME_ACTION.dropDelivery, (viewer, id) => deliveries.drop(viewer, id)],
        ]),
        turns: new Map([
          [HOME_ACTION.previousDeliveries, turn],
          [HOME_ACTION.nextDeliveries, turn],
        ]),
      }),
  };
}
