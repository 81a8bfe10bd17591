import manifest from '../manifest.json' with { type: 'json' };
import { bareAddress } from './cobrowse/watch-link.ts';

/** The address in manifest.json, to be replaced by yours. */
const PLACEHOLDER = 'https://cobrowse.example.com';

const USAGE = `Prints manifest.json with your own address, and nothing else with --silent. Paste it where Slack asks for a manifest:

  npm run --silent manifest -- https://cobrowse.example.org
  npm run --silent manifest -- --socket    (Socket Mode, which needs no address)
`;

const isPlaceholder = (value: unknown) => typeof value === 'string' && value.startsWith(PLACEHOLDER);

/** A copy with this address everywhere; undefined: without anything that needs one. */
function withAddress(value: unknown, address: string | undefined): unknown {
  const isKept = (inner: unknown) => address !== undefined || !isPlaceholder(inner);
  if (Array.isArray(value)) return value.filter(isKept).map((inner) => withAddress(inner, address));
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).filter(([, inner]) => isKept(inner));
    return Object.fromEntries(kept.map(([key, inner]) => [key, withAddress(inner, address)]));
  }
  return typeof value === 'string' ? value.replace(PLACEHOLDER, address ?? '') : value;
}

/** An https address with nothing after its path; undefined for anything else. */
function readAddress(text: string): string | undefined {
  const bare = bareAddress(text);
  return bare?.url.protocol === 'https:' ? bare.url.origin + bare.path : undefined;
}

function manifestFor(argument: string): unknown {
  if (argument === '--socket') {
    const settings = { ...manifest.settings, socket_mode_enabled: true };
    return withAddress({ ...manifest, settings }, undefined);
  }
  const address = readAddress(argument);
  return address && withAddress(manifest, address);
}

const PLAIN = `Slack only sends to https addresses, so an address with http:// doesn't work. For a try-out without one, use Socket Mode.

`;

const [, , argument = '', ...rest] = process.argv;
const wanted = rest.length === 0 ? manifestFor(argument) : undefined;
if (wanted === undefined) {
  process.stderr.write(`${/^http:\/\//i.test(argument) ? PLAIN : ''}${USAGE}`);
  process.exitCode = 2;
} else process.stdout.write(`${JSON.stringify(wanted, undefined, 2)}\n`);
