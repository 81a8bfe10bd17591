/**
 * @typedef {object} Choice
 * @property {string} label
 * @property {unknown} value its value in Slack's state when chosen
 * @property {(value: unknown) => boolean} isValue
 * @typedef {{ label: string, options: Choice[] }} Group
 */

/**
 * The options of a select menu.
 * @param {import('./page.js').Snapshot} snapshot
 * @param {{ type: string, options?: object[], option_groups?: object[] }} element
 * @returns {Group[]} a group without a label is drawn flat
 */
export function selectOptions(snapshot, element) {
  const people = snapshot.users.filter((user) => !user.is_bot && !user.deactivated);
  switch (element.type) {
    case 'users_select':
      return [{ label: '', options: people.map(({ id, name }) => byId(id, name)) }];
    case 'conversations_select':
      return [
        {
          label: '',
          options: filtered(snapshot.channels, element.filter).map(({ id, name, kind }) =>
            byId(id, kind === 'dm' ? name : `#${name}`),
          ),
        },
      ];
    default:
      return [
        { label: '', options: (element.options ?? []).map(byOption) },
        ...(element.option_groups ?? []).map((group) => ({
          label: group.label.text,
          options: group.options.map(byOption),
        })),
      ];
  }
}

/**
 * Here every channel is public, and every direct message is with the app's bot.
 * @param {readonly import('../slack/page-api.ts').PageChannel[]} channels
 * @param {{ include?: string[], exclude_external_shared_channels?: boolean, exclude_bot_users?: boolean }} filter
 */
function filtered(channels, filter = {}) {
  const kinds = filter.include ?? ['im', 'public'];
  return channels.filter(({ kind, shared_with: other }) => {
    if (kind === 'dm') return kinds.includes('im') && filter.exclude_bot_users !== true;
    return kinds.includes('public') && (other === undefined || !filter.exclude_external_shared_channels);
  });
}

/** @param {string} id @param {string} label @returns {Choice} */
function byId(id, label) {
  return { label, value: id, isValue: (value) => value === id };
}

/** @param {object} option @returns {Choice} */
export function byOption(option) {
  return { label: option.text.text, value: option, isValue: (value) => value?.value === option.value };
}
