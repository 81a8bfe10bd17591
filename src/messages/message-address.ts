/** A message's address in Slack. Source: the form of what chat.getPermalink returns. */
export function messageAddress(
  workspaceUrl: string | undefined,
  channelId: string,
  ts: string | undefined,
): string | undefined {
  const url = URL.parse(workspaceUrl ?? '');
  if (url?.protocol !== 'https:' || ts === undefined) return undefined;
  return new URL(`/archives/${encodeURIComponent(channelId)}/p${ts.replace('.', '')}`, url).href;
}
