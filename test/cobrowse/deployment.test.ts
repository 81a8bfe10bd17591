import nock from 'nock';
import { describe, expect, it } from 'vitest';
import type { CobrowseSettings } from '../../src/cobrowse/client.ts';
import { defaultWireNames as wireNames } from '../../src/cobrowse/wire-names.ts';
import { deploy, operations, origin as cloudOrigin, overridden, rejection, sam } from './stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const origin = 'https://support.example';
const cloud = { baseUrl: cloudOrigin, apiKey: 'cloud-key' };
const installation = { baseEndpoint: `${origin}/cobrowsing`, restKey: 'rest-key' };

const unconnected = { ...installation, connected: false } as const;
const connected = { ...installation, connected: true } as const;
const deployments = {
  'the cloud alone': { wireNames, cloud, onPremise: undefined },
  'on-premise with the cloud': { wireNames, cloud, onPremise: unconnected },
  'on-premise, connected, with the cloud': { wireNames, cloud, onPremise: connected },
  'on-premise, connected, alone': { wireNames, cloud: undefined, onPremise: connected },
} as const satisfies Record<string, CobrowseSettings>;

/** What the cloud has, and an installation hasn't. */
const NOT_ON_PREMISE = [
  'deleteOfflineVisitors',
  'deleteVisitor',
  'initialNotes',
  'pageviews',
  'sessionEndWebhook',
  'stopSession',
];
/** What is about the account, so it's the cloud's where there is one. */
const OF_ACCOUNT = ['authorizeOnPremise', 'createProxyLink', 'lookupAgent', 'usage'];

/** Both services answer with nonsense; returns the hosts that were asked. */
function refuseEverything(): readonly string[] {
  const asked: string[] = [];
  for (const host of [cloudOrigin, origin]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      nock(host)
        .persist()
        .intercept(/.*/, method)
        .reply(() => {
          asked.push(host);
          return [418, ''];
        });
    }
  }
  return asked;
}

describe('what a deployment offers', () => {
  it('is video audio if the cloud has a name for it', () => {
    const named = { wireNames: overridden({ permissionVideoAudio: 'allow_video_audio' }), cloud };
    expect(deploy({ ...named, onPremise: undefined }).offers.videoAudio).toBe(true);
    expect(deploy({ ...named, onPremise: unconnected }).offers.videoAudio).toBe(false);
  });

  it.each<[keyof typeof deployments, readonly string[]]>([
    ['the cloud alone', []],
    ['on-premise with the cloud', NOT_ON_PREMISE],
    ['on-premise, connected, with the cloud', NOT_ON_PREMISE],
    ['on-premise, connected, alone', [...NOT_ON_PREMISE, ...OF_ACCOUNT]],
  ])('is asked of the service that has it, the rest refused unasked: %s', async (which, lacks) => {
    const asked = refuseEverything();
    const settings: CobrowseSettings = deployments[which];
    const client = deploy(settings);
    const missing = Object.entries(client.offers).filter(([, isOffered]) => !isOffered);
    expect(missing.map(([offer]) => offer).toSorted()).toEqual(['videoAudio', ...lacks].toSorted());
    for (const [name, call] of Object.entries(operations(client))) {
      const before = asked.length;
      const error = await rejection(call());
      const isOffered = !lacks.includes(name);
      expect([name, error.kind]).toEqual([name, isOffered ? 'not-understood' : 'not-offered']);
      // Unconnected, a link needs the cloud's license first.
      const hasLicense = settings.onPremise?.connected === true || name !== 'createWatchLink';
      const isHere = settings.onPremise !== undefined && hasLicense && !OF_ACCOUNT.includes(name);
      const there = expect.arrayContaining([isHere ? origin : cloudOrigin]);
      expect(asked.slice(before)).toEqual(isOffered ? there : []);
    }
  });
});

const online = (ids: readonly string[]) => ids.map((short_id) => ({ short_id, is_online: true }));
const list = () => nock(origin).get('/cobrowsing/api/visitors/list/latest');

describe('an on-premise deployment', () => {
  it('asks the cloud for a license token for each link, and the installation for the link', async () => {
    const client = deploy(deployments['on-premise with the cloud']);
    for (const turn of [1, 2]) {
      nock(cloudOrigin)
        .matchHeader('x-api-key', 'cloud-key')
        .post('/v1.3/onpremise/token', { visitor_id: 'v1', agent: sam })
        .reply(200, { authorized: true, token: `token-${turn}` });
      nock(origin)
        .matchHeader('authorization', 'rest-key')
        .post('/cobrowsing/api/visitors/v1/watch_url', { licenseToken: `token-${turn}`, agent: sam })
        .reply(200, { status: 'ok', watch_url: `${origin}/w/${turn}` });
      const link = await client.createWatchLink('v1', { agent: sam });
      expect(link.locationHeader()).toBe(`${origin}/w/${turn}`);
    }
  });

  it('requests nothing from the installation if the cloud doesn’t authorize it', async () => {
    nock(cloudOrigin).post('/v1.3/onpremise/token').reply(402);
    const client = deploy(deployments['on-premise with the cloud']);
    const error = await rejection(client.createWatchLink('v1', { agent: sam }));
    expect(error).toMatchObject({ kind: 'not-authorized', status: 402 });
  });

  it('counts who is online itself: the cloud knows none of its visitors', async () => {
    const client = deploy(deployments['on-premise with the cloud']);
    const usage = { visitors: { online_now: 0, last_24_hrs: 0 }, session_counts: { now: 2 } };
    nock(cloudOrigin).get('/v1.3/usage').times(3).reply(200, { usage });
    list().reply(200, { visitors: [...online(['a', 'b']), { short_id: 'c', is_online: false }] });
    const counted = await client.usage();
    expect(counted.visitors).toEqual({ online_now: 2 });
    expect(counted.session_counts.now).toBe(2);
    // Too many to count, or an installation without a list right now: better no number than a wrong one.
    list().reply(200, { visitors: online(Array.from({ length: 1_001 }, (_, index) => `v${index}`)) });
    expect((await client.usage()).visitors.online_now).toBeUndefined();
    list().reply(403);
    expect((await client.usage()).visitors.online_now).toBeUndefined();
  });
});
