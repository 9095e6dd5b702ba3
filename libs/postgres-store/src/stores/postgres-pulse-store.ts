import type { EpochMs, Pulse, PulseRequest, PulseStore } from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { readPulse } from "../statements/pulse/read-pulse.js";

/**
 * The pulse in Postgres. It uses the engine's connections, since the reaper waits for it: readers must not delay it. It
 * takes as long however much there is to do.
 */
export class PostgresPulseStore implements PulseStore {
  constructor(
    private readonly database: Pick<PostgresDatabase, "run">,
    private readonly options: { asOf?: (() => EpochMs) | undefined } = {},
  ) {}

  async pulse(asked: PulseRequest): Promise<Pulse> {
    return (await this.database.run(readPulse, { ...asked, asOf: this.options.asOf?.() ?? null }))[0]!;
  }
}
