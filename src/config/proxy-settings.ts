import { getCACertificates } from 'node:tls';
import { z } from 'zod';
import type { Proxy } from '../http/dispatcher.ts';

/** Other programs read these, too, by either case. Where both are set, the lower one counts, as everywhere. */
const NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/** The settings, with those of a proxy by their upper case alone. @param set without empty ones */
export function withProxyNames(set: Readonly<Record<string, string>>): Record<string, string> {
  const lower = new Set(NAMES.map((name) => name.toLowerCase()));
  const others = Object.entries(set).filter(([name]) => !lower.has(name));
  const given = NAMES.flatMap((name) => {
    const value = set[name.toLowerCase()];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...others, ...given]);
}

/** Whether undici can make a header of its user and password. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** Where a proxy is. What is wrong is never quoted, since it may hold a password. */
export const proxyAddress = z
  .string()
  .refine(
    (text) => {
      const url = URL.parse(text);
      return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && isDecodable(url);
    },
    { error: 'must be an address with its scheme, such as http://proxy.example.com:3128' },
  )
  .default('');

/** A name or an address, perhaps with a port. */
const NO_PROXY_ENTRY =
  /^(?:\*|(?:\*?\.)?[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:.]+$/i;

/** The settings of a proxy, each parsed by itself. */
interface ProxySettings {
  readonly HTTPS_PROXY: string;
  readonly HTTP_PROXY: string;
  readonly NO_PROXY: string;
  readonly PROXY_FOR_WORKSPACES: 'on' | 'off';
}

/** @param many whether for many workspaces: what is typed in the only one is the operator's own */
export function readProxy(
  { HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy, NO_PROXY: noProxy, ...settings }: ProxySettings,
  many: boolean,
): Proxy | undefined {
  if (httpsProxy === '' && httpProxy === '') return undefined;
  const isForWorkspaces = !many || settings.PROXY_FOR_WORKSPACES === 'on';
  return { httpsProxy, httpProxy, noProxy, isForWorkspaces };
}

/** The passwords in a proxy's addresses, as typed and as sent. */
export function proxyPasswords(proxy: Proxy | undefined): readonly string[] {
  const urls = [proxy?.httpsProxy, proxy?.httpProxy].flatMap((address) => URL.parse(address ?? '') ?? []);
  return urls.flatMap(({ password }) => (password === '' ? [] : [password, decodeURIComponent(password)]));
}

/** Warnings for the log: it works, but otherwise than somebody may think. @param set the raw settings, without empty ones */
export function warningsAboutProxy(set: Readonly<Record<string, string>>, many: boolean): string[] {
  const has = (name: string) => set[name] !== undefined;
  const isSet = has('HTTPS_PROXY') || has('HTTP_PROXY');
  const strange = (set['NO_PROXY'] ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '' && !NO_PROXY_ENTRY.test(entry));
  return [
    ...(has('ALL_PROXY') && !isSet ? ['ALL_PROXY isn’t read: set HTTPS_PROXY to go through a proxy'] : []),
    ...(strange.length > 0 && isSet
      ? [
          `NO_PROXY takes names such as intern.example.com or .example.com, and no networks: ${strange.join(', ').slice(0, 200)} is ignored`,
        ]
      : []),
    ...(set['PROXY_FOR_WORKSPACES'] === 'on' && !(many && isSet)
      ? ['PROXY_FOR_WORKSPACES only counts for many workspaces, with HTTPS_PROXY']
      : []),
    ...(has('NODE_EXTRA_CA_CERTS') && getCACertificates('extra').length === 0
      ? [
          'NODE_EXTRA_CA_CERTS has no effect: Node reads it before .env, so set it in the environment, to a file of certificates (PEM)',
        ]
      : []),
  ];
}
