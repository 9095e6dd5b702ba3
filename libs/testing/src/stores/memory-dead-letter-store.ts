import { type DeadLetterStore, TickwheelError, type UnseenDead } from "@tickwheel/core";

/** What a store in memory says to a caller who asks it for dead letters by cause. */
const OPEN_POSTGRES = "open the stores with `openPostgres({ url })` instead.";

/**
 * In memory dead tasks are not counted by cause: the counts are right because Postgres writes them with each death, and
 * a model of that would prove nothing. What somebody asks for throws `UNSUPPORTED`; a node's own fold and look find
 * nothing. Dead tasks themselves are listed as anywhere.
 */
export class MemoryDeadLetterStore implements DeadLetterStore {
  readonly list: () => Promise<never>;
  readonly get: () => Promise<never>;
  readonly see: () => Promise<never>;

  /** @param cure what a caller who wants them has to do, as the end of a sentence */
  constructor(cure = OPEN_POSTGRES) {
    const text = `Dead letters by cause need Postgres, and this store is in memory: ${cure}`;
    this.list = this.get = this.see = (): Promise<never> => Promise.reject(new TickwheelError("UNSUPPORTED", text));
  }

  unseen(): Promise<UnseenDead[]> {
    return Promise.resolve([]);
  }

  fold(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
