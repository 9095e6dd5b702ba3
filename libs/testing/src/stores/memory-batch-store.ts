import { type BatchStore, TickwheelError, type TroubledBatches } from "@tickwheel/core";

/**
 * In memory there are no batches: what makes them right is how Postgres locks rows, and a model of that would prove
 * nothing. What nodes do by themselves finds none; every other method throws `UNSUPPORTED`.
 */
export class MemoryBatchStore implements BatchStore {
  readonly create = unsupported;
  readonly add = unsupported;
  readonly seal = unsupported;
  readonly cancel = unsupported;
  readonly get = unsupported;
  readonly list = unsupported;
  readonly members = unsupported;
  readonly toReview = unsupported;
  readonly review = unsupported;
  readonly stopMembers = unsupported;
  readonly deadMembers = unsupported;
  readonly endRetries = unsupported;

  /** There are none to tell of. */
  troubled(): Promise<TroubledBatches[]> {
    return Promise.resolve([]);
  }

  /** Nothing is ever tallied. */
  fold(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

function unsupported(): Promise<never> {
  return Promise.reject(
    new TickwheelError(
      "UNSUPPORTED",
      "Batches need Postgres, and this store is in memory: open the stores with `openPostgres({ url })` instead.",
    ),
  );
}
