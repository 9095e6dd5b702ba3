import { type BatchStore, type BatchToReview, TickwheelError, type TroubledBatches } from "@tickwheel/core";

/**
 * In memory there are no batches: what makes them right is how Postgres locks rows, and a model of that would prove
 * nothing. What somebody asks for throws `UNSUPPORTED`; a node's own look finds nothing.
 */
export class MemoryBatchStore implements BatchStore {
  readonly create = unsupported;
  readonly add = unsupported;
  readonly seal = unsupported;
  readonly cancel = unsupported;
  readonly get = unsupported;
  readonly list = unsupported;
  readonly members = unsupported;
  readonly review = unsupported;
  readonly stopMembers = unsupported;
  readonly deadMembers = unsupported;
  readonly endRetries = unsupported;

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

function unsupported(): Promise<never> {
  return Promise.reject(
    new TickwheelError(
      "UNSUPPORTED",
      "Batches need Postgres, and this store is in memory: open the stores with `openPostgres({ url })` instead.",
    ),
  );
}
