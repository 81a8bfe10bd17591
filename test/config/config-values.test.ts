import { describe, expect, it } from 'vitest';
import { BOT_TOKEN, SEALING_KEY, complaints, read } from '../support/settings.ts';

const KEYS = ['n'.repeat(32), 'ö'.repeat(16)];

describe('a setting', () => {
  it.each<readonly [name: string, value: string, seen: object]>([
    ['SLACK_API_URL', 'https://slack.test/api', { slack: { apiUrl: 'https://slack.test/api/' } }],
    ['SLACK_API_URL', 'http://127.0.0.1:9/api///', { slack: { apiUrl: 'http://127.0.0.1:9/api/' } }],
    ['PUBLIC_URL', 'https://a.example/', { publicUrl: 'https://a.example' }],
    ['PUBLIC_URL', 'HTTPS://A.example:443/sub/path/', { publicUrl: 'https://a.example/sub/path' }],
    ['PUBLIC_URL', 'https://a.example/?', { publicUrl: 'https://a.example' }],
    ['PUBLIC_URL', 'https://a.example/#', { publicUrl: 'https://a.example' }],
    ['PUBLIC_URL', 'http://localhost:3000', { publicUrl: 'http://localhost:3000' }],
    ['PUBLIC_URL', 'http://[::1]:3000', { publicUrl: 'http://[::1]:3000' }],
    ['COBROWSE_BASE_URL', 'http://127.0.0.1:9/', { cobrowse: { cloud: { baseUrl: 'http://127.0.0.1:9' } } }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['DRAIN_SECONDS', '0', { drainSeconds: 0 }],
    ['DRAIN_SECONDS', '60', { drainSeconds: 60 }],
    ['ALLOW_ONE_WAY_UPGRADE', 'true', { mayBeOneWay: true }],
    ['SLACKBOT', 'true', { slackbot: true }],
    ['STORE_URL', 'memory:', { storeUrl: 'memory:' }],
    ...[
      'postgres://app:top%23secret@db.example:5432/cobrowse?sslmode=require',
      'postgres://app:word@/cobrowse?host=/run/postgresql',
      'postgres:///cobrowse',
    ].map((storeUrl) => ['STORE_URL', storeUrl, { storeUrl }] as const),
    ['SUMMARY_CHANNEL', 'C0123456789', { summaryChannel: 'C0123456789' }],
    ['SUMMARY_CHANNEL', 'G0123456789', { summaryChannel: 'G0123456789' }],
    ['WATCH_PROOF', 'ticket', { watchProof: 'ticket' }],
    // As a link would spell it.
    ['WATCH_HOSTS', 'Live.Service.example, 10.0.0.7', { watchHosts: ['live.service.example', '10.0.0.7'] }],
    ['WATCH_HOSTS', 'support.münchen.example', { watchHosts: ['support.xn--mnchen-3ya.example'] }],
    ['WATCH_HOSTS', 'ｌｉｖｅ.example [::1]', { watchHosts: ['live.example', '[::1]'] }],
    ['MAY_WATCH', 'members, S0LEADS0001', { rules: { watch: { members: true, ids: ['S0LEADS0001'] } } }],
    ['MAY_STOP', 'admins', { rules: { stop: { members: false, ids: [] } } }],
    ['MAY_DELETE', 'U0ADA000005 C0S', { rules: { delete: { members: false, ids: ['U0ADA000005', 'C0S'] } } }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    // The newest first.
    ['SECRET_KEYS', KEYS.join(' , '), { secretKeys: KEYS }],
  ])('%s can be %s', (name, value, seen) => {
    expect(read({ [name]: value })).toMatchObject(seen);
    expect(read({ [name]: `  ${value}\n` })).toMatchObject(seen);
  });

  const MARK = 'topsecret';
  const PRIVATE = `https://${MARK}:${MARK}@a.example/?${MARK}#${MARK}`;
  it.each<readonly [name: string, values: readonly string[], complaint: string]>([
    [
      'SLACK_BOT_TOKEN',
      [MARK, `xoxp-${MARK}`, 'xoxb-', `xoxb-${MARK} x`, `"${BOT_TOKEN}${MARK}"`],
      'must be a token that begins with xoxb-',
    ],
    ['SLACK_APP_TOKEN', [MARK, `xoxb-${MARK}`, 'xapp-'], 'must be a token that begins with xapp-'],
    [
      'SLACK_API_URL',
      [MARK, PRIVATE, `http://${MARK}.example/api`, `ftp://${MARK}.example`],
      'must be an https address',
    ],
    [
      'COBROWSE_BASE_URL',
      [MARK, PRIVATE, `http://${MARK}.example`, 'http://127.0.0.1.example'],
      'must be an https address',
    ],
    [
      'PUBLIC_URL',
      [MARK, PRIVATE, `http://${MARK}.example`, `https://a.example/?${MARK}=1`, `javascript:${MARK}`],
      'must be an https address',
    ],
    [
      'COBROWSE_API_KEY',
      [`${MARK} two`, `${MARK}\u0000`, `${MARK}é`, `${MARK}\r\nx-a: b`],
      'must be one word of plain characters',
    ],
    ['DRAIN_SECONDS', [MARK, '-1', '61', '1.5', '5s'], 'must be a number of seconds from 0 to 60'],
    ['ALLOW_ONE_WAY_UPGRADE', [MARK, 'yes', '1'], 'must be true or false'],
    ['SLACKBOT', [MARK, 'yes', '1'], 'must be true or false'],
    ['PORT', [MARK, '-1', '3000.5', '0x50', '65536', '99999', '1e3', '3000 3001'], 'must be a port number'],
    [
      'SECRET_KEYS',
      [MARK, `${SEALING_KEY},${MARK}`, `${SEALING_KEY},`, ',', 'ö'.repeat(15)],
      'must be one or more keys of at least 32 bytes each',
    ],
    [
      'SUMMARY_CHANNEL',
      [`#${MARK}`, MARK, 'c0123456789', 'U0123456789', 'C0-1'],
      'must be a channel id such as C0123456789',
    ],
    ['LOG_LEVEL', [MARK, 'INFO', 'verbose'], 'must be one of fatal, error, warn, info, debug, trace, silent'],
    [
      'STORE_URL',
      [`postgres://app:top#${MARK}@db.example/cobrowse`, `postgresql://app:${MARK}@db example/cobrowse`],
      'isn’t an address that can be read. Write characters such as',
    ],
    ['AUDIT_DAYS', [MARK, '0', '3651', '-1', '1.5'], 'must be a number of days from 1 to 3650'],
    ['SESSION_DAYS', [MARK, '29', '0'], 'must be a number of days from 30 to 3650'],
    ['WATCH_PROOF', [MARK, 'none'], 'must be press or ticket'],
    ...['MAY_WATCH', 'MAY_STOP', 'MAY_DELETE', 'MAY_SEE_USAGE'].map(
      (name) => [name, ['members, everyone'], 'must be members, admins, or ids of users,'] as const,
    ),
  ])('%s hears what it must be, without its value', (name, values, complaint) => {
    for (const value of values) {
      const [told = '', ...others] = complaints({ [name]: value });
      expect(told.startsWith(`${name} ${complaint}`)).toBe(true);
      expect(told).not.toContain(MARK);
      expect(others).toEqual([]);
    }
  });

  it('that is not ours is left alone', () => {
    const others = { PATH: '/bin', SLACK_TOKEN: 'x', SECRET_KEY: 'y', WATCH_NAMESPACE: 'a', __proto__: 'z' };
    expect(read(others).warnings).toEqual([]);
  });
});

describe('a variable that isn’t a setting', () => {
  it.each(
    'MAY_WACH may_watch MAY_VIEW MAYWATCH WATCH_HOST WATCH_HOTS WATCH-PROOF AUDIT_DAY SESSIONS_DAYS ALLOWED_WORKSPACE'.split(
      ' ',
    ),
  )('prevents the start if people would believe that it restricts something: %s', (name) => {
    expect(complaints({ [name]: 'admins' })).toEqual([
      `${name} isn’t a setting: docs/configuration.md lists them all`,
    ]);
  });

  it('causes a one-line warning if it only starts like ours, as with a dozen from Kubernetes', () => {
    const links = { COBROWSE_PORT: 'tcp://10.0.0.1', COBROWSE_SERVICE_HOST: '10.0.0.1' };
    expect(read(links).warnings).toEqual([
      'ignored, because they aren’t settings: COBROWSE_PORT, COBROWSE_SERVICE_HOST',
    ]);
  });
});

it('is reported with all else that is bad or missing', () => {
  const bad = {
    SLACK_BOT_TOKEN: 'x',
    ALLOWED_WORKSPACES: 'T0ACME00000',
    COBROWSE_BASE_URL: undefined,
    COBROWSE_API_KEY: undefined,
    COBROWSE_ONPREM_BASE_ENDPOINT: 'intern',
    COBROWSE_ONPREM_REST_KEY: undefined,
    COBROWSE_ONPREM_CONNECTED: 'maybe',
    COBROWSE_WIRE_NAMES: 'x',
    PUBLIC_URL: 'x',
    PORT: 'x',
    SECRET_KEYS: undefined,
    MAY_WACH: 'x',
    LOG_LEVEL: 'x',
    STORE_URL: 'mysql://user:topsecret@host/db',
  };
  const told = complaints(bad);
  expect(new Set(told.map((complaint) => complaint.split(' ')[0]))).toEqual(new Set(Object.keys(bad)));
  expect(told).toHaveLength(Object.keys(bad).length);
  expect(told.join()).not.toContain('topsecret');
  expect(told).toContain(
    'STORE_URL isn’t an address of a database. Supported: sqlite:<path of a file>, postgres://<user>:<password>@<host>/<database>, and memory: (gone at exit)',
  );
});

it.each([
  'https://live.service.example',
  'live.service.example:443',
  'live.service.example/watch',
  'live.service.example\\watch',
  'live.service.example?watch',
  'sam@live.service.example',
  'live.service.example.',
  '*.service.example',
  '.service.example',
  '-a.example',
  '[::1]:443',
  '%',
  // A list that names no one would allow everyone.
  ' , ',
])('where watch links may lead is refused if it contains %j', (host) => {
  expect(complaints({ WATCH_HOSTS: host })).toHaveLength(1);
});
