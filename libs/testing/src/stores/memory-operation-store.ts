import { type OperationStore, TickwheelError, type TroubledOperation } from "@tickwheel/core";

/** What a store in memory says to a caller who asks it for operations. */
const OPEN_POSTGRES = "open the stores with `openPostgres({ url })` instead.";

/**
 * In memory there are no operations on many tasks: what makes them right is how Postgres locks rows, and a model of
 * that would prove nothing. What somebody asks for throws `UNSUPPORTED`; a node's own look finds nothing.
 */
export class MemoryOperationStore implements OperationStore {
  readonly dryRun: () => Promise<never>;
  readonly start: () => Promise<never>;
  readonly startedBefore: () => Promise<never>;
  readonly get: () => Promise<never>;
  readonly list: () => Promise<never>;
  readonly tasksOf: () => Promise<never>;
  readonly undoReach: () => Promise<never>;
  readonly change: () => Promise<never>;
  readonly makePage: () => Promise<never>;

  /** @param cure what a caller who wants operations has to do, as the end of a sentence */
  constructor(cure = OPEN_POSTGRES) {
    const text = `Operations on many tasks need Postgres, and this store is in memory: ${cure}`;
    const unsupported = (): Promise<never> => Promise.reject(new TickwheelError("UNSUPPORTED", text));
    this.dryRun = this.start = this.startedBefore = this.get = this.list = unsupported;
    this.tasksOf = this.undoReach = this.change = this.makePage = unsupported;
  }

  due(): Promise<{ ids: string[]; nextAt: number | null }> {
    return Promise.resolve({ ids: [], nextAt: null });
  }

  troubled(): Promise<TroubledOperation[]> {
    return Promise.resolve([]);
  }

  forget(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
