/** The id a channel has now, since sharing or converting a channel changes it. If nothing changed, it's the same. */
export type CurrentChannelId = (workspaceId: string, channelId: string) => Promise<string>;
