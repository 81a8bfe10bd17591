import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { APP_TOKEN, BOT_TOKEN, SEALING_KEY, complaints, read } from '../support/settings.ts';

describe('a setting', () => {
  it.each([
    ['SLACK_API_URL', 'https://slack.test/api', (c: Config) => c.slack.apiUrl, 'https://slack.test/api/'],
    ['SLACK_API_URL', 'http://127.0.0.1:9/api///', (c: Config) => c.slack.apiUrl, 'http://127.0.0.1:9/api/'],
    ['PUBLIC_URL', 'https://a.example/', (c: Config) => c.publicUrl, 'https://a.example'],
    [
      'PUBLIC_URL',
      'HTTPS://A.example:443/sub/path/',
      (c: Config) => c.publicUrl,
      'https://a.example/sub/path',
    ],
    ['PUBLIC_URL', 'https://a.example/?', (c: Config) => c.publicUrl, 'https://a.example'],
    ['PUBLIC_URL', 'https://a.example/#', (c: Config) => c.publicUrl, 'https://a.example'],
    ['PUBLIC_URL', 'http://localhost:3000', (c: Config) => c.publicUrl, 'http://localhost:3000'],
    ['PUBLIC_URL', 'http://[::1]:3000', (c: Config) => c.publicUrl, 'http://[::1]:3000'],
    [
      'COBROWSE_BASE_URL',
      'http://127.0.0.1:9/',
      (c: Config) => c.cobrowse.cloud?.baseUrl,
      'http://127.0.0.1:9',
    ],
    ['HOST', '0.0.0.0', (c: Config) => c.host, '0.0.0.0'],
    ['PORT', '0', (c: Config) => c.port, 0],
    ['PORT', '65535', (c: Config) => c.port, 65_535],
    ['DRAIN_SECONDS', '0', (c: Config) => c.drainSeconds, 0],
    ['DRAIN_SECONDS', '60', (c: Config) => c.drainSeconds, 60],
    ['ALLOW_ONE_WAY_UPGRADE', 'true', (c: Config) => c.mayBeOneWay, true],
    ['STORE_URL', 'memory:', (c: Config) => c.storeUrl, 'memory:'],
    ['SUMMARY_CHANNEL', 'C0123456789', (c: Config) => c.summaryChannel, 'C0123456789'],
    ['SUMMARY_CHANNEL', 'G0123456789', (c: Config) => c.summaryChannel, 'G0123456789'],
    ['LOG_LEVEL', 'silent', (c: Config) => c.logLevel, 'silent'],
  ])('%s can be %s', (name, value, look, seen) => {
    expect(look(read({ [name]: value }))).toBe(seen);
    expect(look(read({ [name]: `  ${value}\n` }))).toBe(seen);
  });

  it('SECRET_KEYS can be several keys, newest first', () => {
    const [first, second] = ['n'.repeat(32), 'ö'.repeat(16)];
    expect(read({ SECRET_KEYS: ` ${first} , ${second} ` }).secretKeys).toEqual([first, second]);
  });

  const MARK = 'topsecret';
  const PRIVATE = `https://${MARK}:${MARK}@a.example/?${MARK}#${MARK}`;
  it.each([
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
  ])('%s hears what it must be, without its value', (name, values, complaint) => {
    for (const value of values) {
      const [told = '', ...others] = complaints({ [name]: value });
      expect(told.startsWith(`${name} ${complaint}`)).toBe(true);
      expect(told).not.toContain(MARK);
      expect(others).toEqual([]);
    }
  });

  it('that is not ours is left alone', () => {
    const others = { PATH: '/bin', SLACK_TOKEN: 'x', SECRET_KEY: 'y', POST: 'z', HOSTS: 'a', __proto__: 'z' };
    expect(read(others).warnings).toEqual([]);
  });
});

describe('a variable that isn’t a setting', () => {
  it.each([
    ['MAY_WACH', 'MAY_WACH isn’t a setting: did you mean MAY_WATCH?'],
    ['MAY_DELET', 'MAY_DELET isn’t a setting: did you mean MAY_DELETE?'],
    ['may_watch', 'may_watch isn’t a setting: did you mean MAY_WATCH?'],
    ['WATCH_HOST', 'WATCH_HOST isn’t a setting: did you mean WATCH_HOSTS?'],
    ['WATCH-PROOF', 'WATCH-PROOF isn’t a setting: did you mean WATCH_PROOF?'],
    ['AUDIT_DAY', 'AUDIT_DAY isn’t a setting: did you mean AUDIT_DAYS?'],
    ['COBROWSE_WIRE_NAME', 'COBROWSE_WIRE_NAME isn’t a setting: did you mean COBROWSE_WIRE_NAMES?'],
    ['MAY_VIEW', 'MAY_VIEW isn’t a setting: similar ones are MAY_WATCH, MAY_STOP, MAY_DELETE, MAY_SEE_USAGE'],
  ])('prevents the start if people would believe it is in force: %s', (name, complaint) => {
    expect(complaints({ [name]: 'admins' })).toEqual([complaint]);
  });

  it.each([
    ['LOGLEVEL', 'LOGLEVEL isn’t a setting: did you mean LOG_LEVEL?'],
    ['STORE_URI', 'STORE_URI isn’t a setting: did you mean STORE_URL?'],
    ['SLACK_API_TOKEN', 'SLACK_API_TOKEN isn’t a setting: did you mean SLACK_APP_TOKEN?'],
  ])('causes a warning if it may be another program’s: %s', (name, warning) => {
    expect(read({ [name]: 'topsecret' }).warnings).toEqual([warning]);
  });

  it('causes a one-line warning if it only starts like ours, as with a dozen from Kubernetes', () => {
    const links = { COBROWSE_PORT: 'tcp://10.0.0.1', COBROWSE_SERVICE_HOST: '10.0.0.1' };
    expect(read(links).warnings).toEqual([
      'ignored, because they aren’t settings: COBROWSE_PORT, COBROWSE_SERVICE_HOST',
    ]);
  });

  it('is left alone if the setting it resembles is set', () => {
    expect(read({ SLACK_APP_TOKEN: APP_TOKEN, SLACK_API_TOKEN: 'x', SECRET_KEY: 'y' }).warnings).toEqual([]);
  });
});

it('is reported with all else that is bad or missing, and near to what is', () => {
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
    SECRET_KEY: 'x',
    LOG_LEVEL: 'x',
    STORE_URL: 'mysql://user:topsecret@host/db',
  };
  const told = complaints(bad);
  expect(new Set(told.map((complaint) => complaint.split(' ')[0]))).toEqual(new Set(Object.keys(bad)));
  expect(told).toHaveLength(Object.keys(bad).length);
  expect(told).toContain('SECRET_KEY isn’t a setting: did you mean SECRET_KEYS?');
  expect(told.join()).not.toContain('topsecret');
  expect(told).toContain(
    'STORE_URL isn’t an address of a database. Supported: sqlite:<path of a file>, postgres://<user>:<password>@<host>/<database>, and memory: (gone at exit)',
  );
});

describe('STORE_URL', () => {
  it.each(['postgres://app:top#secret@db.example/cobrowse', 'postgresql://app:x@db example/cobrowse'])(
    'is complained of where %s can’t be read, without its password',
    (STORE_URL) => {
      const told = complaints({ STORE_URL });
      expect(told).toEqual([
        expect.stringContaining('STORE_URL isn’t an address that can be read. Write characters such as'),
      ]);
      expect(told.join()).not.toContain('secret');
    },
  );

  it.each([
    'postgres://app:top%23secret@db.example:5432/cobrowse?sslmode=require',
    'postgres://app:word@/cobrowse?host=/run/postgresql',
    'postgres:///cobrowse',
  ])('can be %s', (STORE_URL) => {
    expect(read({ STORE_URL }).storeUrl).toBe(STORE_URL);
  });
});

describe('who can do what', () => {
  it('is a list of words and ids, separated by commas or spaces', () => {
    const { rules } = read({
      MAY_WATCH: 'members, S0LEADS0001',
      MAY_STOP: 'admins',
      MAY_DELETE: 'U0ADA000005 C0SUPPORT1',
    });
    expect(rules.watch).toEqual({ members: true, ids: ['S0LEADS0001'] });
    expect(rules.stop).toEqual({ members: false, ids: [] });
    expect(rules.delete).toEqual({ members: false, ids: ['U0ADA000005', 'C0SUPPORT1'] });
    expect(rules.usage).toEqual({ members: true, ids: [] });
  });

  it.each(['MAY_WATCH', 'MAY_STOP', 'MAY_DELETE', 'MAY_SEE_USAGE'])(
    'is complained of where %s names no id',
    (name) => {
      expect(complaints({ [name]: 'members, everyone' })).toEqual([
        `${name} must be members, admins, or ids of users, user groups and channels: "everyone" isn’t one`,
      ]);
    },
  );
});

describe('where watch links may lead', () => {
  it('is a list of hosts, in lower case', () => {
    expect(read({ WATCH_HOSTS: 'Live.Service.example, eu.service.example' }).watchHosts).toEqual([
      'live.service.example',
      'eu.service.example',
    ]);
  });

  it.each([
    ['support.münchen.example', 'support.xn--mnchen-3ya.example'],
    ['ｌｉｖｅ.example', 'live.example'],
    ['10.0.0.7', '10.0.0.7'],
    ['[::1]', '[::1]'],
    ['localhost', 'localhost'],
  ])('spells %s as a link would: %s', (host, spelled) => {
    expect(read({ WATCH_HOSTS: host }).watchHosts).toEqual([spelled]);
    expect(URL.parse(`https://${host}/`)?.hostname).toBe(spelled);
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
  ])('is refused if it contains %j', (host) => {
    expect(complaints({ WATCH_HOSTS: host })).toHaveLength(1);
  });
});

describe('how long the audit and ended sessions are kept, and what proves a press', () => {
  it.each(['0', '3651', 'a year', '-1', '1.5'])('AUDIT_DAYS can’t be %j', (days) => {
    expect(complaints({ AUDIT_DAYS: days })).toEqual(['AUDIT_DAYS must be a number of days from 1 to 3650']);
  });

  it.each(['29', '0', 'a month'])('SESSION_DAYS can’t be %j', (days) => {
    expect(complaints({ SESSION_DAYS: days })).toEqual([
      'SESSION_DAYS must be a number of days from 30 to 3650',
    ]);
  });

  it('WATCH_PROOF is press or ticket', () => {
    expect(read({ WATCH_PROOF: 'ticket' }).watchProof).toBe('ticket');
    expect(complaints({ WATCH_PROOF: 'none' })).toEqual(['WATCH_PROOF must be press or ticket']);
  });
});
