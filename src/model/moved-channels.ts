/** The id a channel has now: sharing and converting change it. The same where they did not. */
export type CurrentChannelId = (workspaceId: string, channelId: string) => Promise<string>;
