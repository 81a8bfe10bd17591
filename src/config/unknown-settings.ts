import leven from 'leven';

interface Unknown {
  /** People would believe they're in force. */
  readonly complaints: readonly string[];
  /** They may belong to another program. */
  readonly warnings: readonly string[];
}

/** No other program uses variables like these. SECRET_KEY, LOGLEVEL and SLACK_API_TOKEN, on the other hand, are common. */
const OURS_ALONE = /^(?:COBROWSE|MAY|WATCH)_|^(?:SUMMARY_CHANNEL|(?:AUDIT|SESSION)_DAYS)$/;
/** Other programs have FTP_PROXY and the like. */
const OF_A_PROXY = /_proxy$/i;
/** Shorter names are too close to other words: POST isn't a misspelled PORT. */
const SHORTEST = 8;
const spelled = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');

const meant = (name: string, known: readonly string[]): string | undefined =>
  known
    .filter((setting) => setting.length >= SHORTEST)
    .map((setting) => ({ setting, distance: leven(spelled(name), setting) }))
    .filter(({ setting, distance }) => distance <= (setting.length > SHORTEST ? 2 : 1))
    .toSorted((a, b) => a.distance - b.distance)[0]?.setting;

/**
 * A misspelled setting that is silently ignored may be a restriction that everyone relies on. A variable similar to a setting
 * that is set is left alone.
 *
 * @param set all variables that are set
 */
export function findUnknown(set: Readonly<Record<string, string>>, known: readonly string[]): Unknown {
  const complaints: string[] = [];
  const warnings: string[] = [];
  const strange: string[] = [];
  for (const name of Object.keys(set).filter((one) => !known.includes(one) && !OF_A_PROXY.test(one))) {
    const setting = meant(name, known);
    if (setting !== undefined) {
      if (set[setting] !== undefined) continue;
      const words = `${name} isn’t a setting. Did you mean ${setting}?`;
      (OURS_ALONE.test(setting) ? complaints : warnings).push(words);
    } else if (name.startsWith('MAY_')) {
      const rules = known.filter((one) => one.startsWith('MAY_')).join(', ');
      complaints.push(`${name} isn’t a setting: similar ones are ${rules}`);
    } else if (name.startsWith('COBROWSE_')) strange.push(name);
  }
  // With a Kubernetes service called cobrowse there are a dozen.
  if (strange.length > 0) warnings.push(`ignored, because they aren’t settings: ${strange.join(', ')}`);
  return { complaints, warnings };
}
