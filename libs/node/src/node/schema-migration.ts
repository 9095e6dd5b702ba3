import { TickwheelError } from "@tickwheel/core";

/**
 * Our schema, brought up to date once. A try that fails may be made again; two callers share one that is under way.
 * Until it is done nothing of ours can be read or written.
 */
export class SchemaMigration {
  private trying: Promise<void> | null = null;
  private done = false;

  /** @param migrate only a look where the schema is somebody else's to bring up to date */
  constructor(private readonly migrate: () => Promise<unknown>) {}

  /** @throws what `migrate` throws */
  run(): Promise<void> {
    if (this.done) return Promise.resolve();
    this.trying ??= this.migrate()
      .then(() => void (this.done = true))
      .finally(() => (this.trying = null));
    return this.trying;
  }

  /** @throws TickwheelError `STORE_UNAVAILABLE` until the schema is there */
  requireDone(): void {
    if (!this.done)
      throw new TickwheelError("STORE_UNAVAILABLE", "This node is starting: its schema is not up to date yet.");
  }
}
