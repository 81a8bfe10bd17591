/** Who opened the Home tab. Ids are Slack's. */
export interface Viewer {
  readonly workspaceId: string;
  readonly userId: string;
}
