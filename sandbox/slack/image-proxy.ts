/** A picture ready to show. */
export interface Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** @returns the picture at an address; undefined if it can't be fetched. */
export type ImageProxy = (address: string) => Promise<Picture | undefined>;

/**
 * Long, since drawing a picture may have to wait for other work, and one that fails stays broken until the page is
 * reloaded.
 */
const limitMs = 30_000;
const maxBytes = 5 * 1024 * 1024;
const maxKept = 100;
const types = new Set(['image/png', 'image/jpeg', 'image/gif']);
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Fetches the pictures in messages, as Slack does: a person's browser never asks the app itself. A picture is fetched
 * only once, so another picture needs another address. Reaches loopback only, since no request may leave the machine,
 * and follows no redirects.
 */
export const createImageProxy = (): ImageProxy => {
  const kept = new Map<string, Picture>();
  return async (address) => {
    const known = kept.get(address);
    if (known !== undefined) return known;
    const picture = await fetchPicture(address);
    if (picture === undefined) return undefined;
    const [oldest] = kept.keys();
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(address, picture);
    return picture;
  };
};

const fetchPicture = async (address: string): Promise<Picture | undefined> => {
  if (!loopback.has(URL.parse(address)?.hostname ?? '')) return undefined;
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
      headers: { 'user-agent': 'Slack-ImgProxy (+https://api.slack.com/robots)', accept: 'image/*' },
    });
    const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    const isFit = response.status === 200 && types.has(type);
    const bytes = isFit ? await readUpTo(response, maxBytes) : await response.body?.cancel();
    return bytes === undefined ? undefined : { type, bytes };
  } catch {
    return undefined;
  }
};

const readUpTo = async (response: Response, most: number): Promise<Uint8Array | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
