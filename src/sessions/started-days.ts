/** Sessions started from Slack on one day in somebody's time zone. */
export interface StartedDay {
  /** "Nov 9". */
  readonly name: string;
  /** "9", or "Today", for under a bar. */
  readonly label: string;
  readonly sessions: number;
  /** Those that the customer didn't accept, which aren't among the sessions. */
  readonly notAccepted: number;
}
