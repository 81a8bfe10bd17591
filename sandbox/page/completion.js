/** The only command whose subcommands the page knows (`Snapshot.completions`). */
const COMMAND = '/cobrowse';

/**
 * @typedef {object} Completion
 * @property {string} insert the composer's text after accepting it
 * @property {string} label
 * @property {string} usage what can follow the label
 * @property {string} summary
 */

/** @param {{ usage: string, summary: string }} entry usage with or without the command in front */
function subcommand({ usage, summary }) {
  const words = usage.replace(/^\/\S+\s+/, '');
  const name = words.replace(/\s*[<[].*$/, '');
  const rest = words.slice(name.length).trim();
  const label = `${COMMAND} ${name}`;
  return { insert: rest === '' ? label : `${label} `, label, usage: rest, summary };
}

/**
 * What the composer offers while a command is being typed.
 * @param {string} text
 * @param {{ commands: readonly object[], completions: readonly object[] }} snapshot
 * @returns {{ items: Completion[], hint: Completion | null }} hint: the command whose argument is being typed
 */
export function complete(text, { commands, completions }) {
  if (!text.startsWith('/') || text.includes('\n')) return { items: [], hint: null };
  const typed = text.toLowerCase();
  const all = [
    ...commands.map((entry) => ({
      insert: `${entry.command} `,
      label: entry.command,
      usage: entry.usage_hint,
      summary: entry.description,
    })),
    ...completions.map(subcommand),
  ];
  const items = all.filter(({ label }) => label.toLowerCase().startsWith(typed));
  const begun = all.filter(({ label, usage }) => usage !== '' && typed.startsWith(`${label.toLowerCase()} `));
  return { items, hint: items.length === 0 ? (begun.at(-1) ?? null) : null };
}
