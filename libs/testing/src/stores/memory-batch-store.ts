import { type BatchStore, type BatchToReview, TickwheelError, type TroubledBatches } from "@tickwheel/core";

/** What a store in memory says to a caller who asks it for batches. */
const OPEN_POSTGRES = "open the stores with `openPostgres({ url })` instead.";

/**
 * In memory there are no batches: what makes them right is how Postgres locks rows, and a model of that would prove
 * nothing. What somebody asks for throws `UNSUPPORTED`; a node's own look finds nothing.
 */
export class MemoryBatchStore implements BatchStore {
  readonly create: () => Promise<never>;
  readonly add: () => Promise<never>;
  readonly seal: () => Promise<never>;
  readonly cancel: () => Promise<never>;
  readonly get: () => Promise<never>;
  readonly list: () => Promise<never>;
  readonly members: () => Promise<never>;
  readonly review: () => Promise<never>;
  readonly stopMembers: () => Promise<never>;
  readonly deadMembers: () => Promise<never>;
  readonly endRetries: () => Promise<never>;

  /** @param cure what a caller who wants batches has to do, as the end of a sentence */
  constructor(cure = OPEN_POSTGRES) {
    const text = `Batches need Postgres, and this store is in memory: ${cure}`;
    const unsupported = (): Promise<never> => Promise.reject(new TickwheelError("UNSUPPORTED", text));
    this.create = this.add = this.seal = this.cancel = unsupported;
    this.get = this.list = this.members = this.review = unsupported;
    this.stopMembers = this.deadMembers = this.endRetries = unsupported;
  }

  troubled(): Promise<TroubledBatches[]> {
    return Promise.resolve([]);
  }

  fold(): Promise<boolean> {
    return Promise.resolve(false);
  }

  toReview(): Promise<BatchToReview[]> {
    return Promise.resolve([]);
  }
}
