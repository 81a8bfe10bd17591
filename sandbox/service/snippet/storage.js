// What the snippet remembers in the visitor's browser. If that's forbidden, it forgets when the page closes.

/** @param {() => Storage} place */
function remembering(place) {
  const here = new Map();
  return {
    /** @param {string} name @returns {string | null} */
    read(name) {
      try {
        return place().getItem(name);
      } catch {
        return here.get(name) ?? null;
      }
    },
    /** @param {string} name @param {string} value */
    write(name, value) {
      try {
        place().setItem(name, value);
      } catch {
        here.set(name, value);
      }
    },
  };
}

const ofBrowser = remembering(() => localStorage);
const ofTab = remembering(() => sessionStorage);

/** Who the visitor is according to the service, on all pages of the site. */
export const visitorToken = {
  read: () => ofBrowser.read('cobrowse-visitor') ?? undefined,
  /** @param {string} token */
  write: (token) => ofBrowser.write('cobrowse-visitor', token),
};

/** The tab, across reloads and pages: agreeing in one tab doesn't count for others. */
export function tabId() {
  const known = ofTab.read('cobrowse-tab');
  if (known !== null) return known;
  const fresh = randomId();
  ofTab.write('cobrowse-tab', fresh);
  return fresh;
}

// randomUUID is missing on plain http except on loopback.
export const randomId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
