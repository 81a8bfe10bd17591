import type { Message } from '../views/message.ts';
import type { Caller } from './caller.ts';
import type { Services } from './services.ts';

/** What was filled in, by block: what was typed, or the value that was chosen; many values where many were. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** A modal with inputs. */
export interface Form {
  readonly callbackId: string;
  /** At most 24 characters. */
  readonly title: string;
  /** What is wrong, by block, to be shown beside the inputs. */
  complaints(filled: Filled): Readonly<Record<string, string>>;
  run(filled: Filled, caller: Caller, services: Services): Promise<Message>;
}
