import type { AnnouncedPolicy, BootId, EpochMs, PolicyConflict, PolicyStore } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { announcePolicies, withdrawPolicies } from "../statements/types/announce-policies.js";
import { policyConflicts, settlePolicies } from "../statements/types/settle-policies.js";

const TIMEOUT_MS = 2_000;

/** The policies of types as rows. It uses the connections for reads, never the engine's. */
export class PostgresPolicyStore implements PolicyStore {
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "transaction">,
    private readonly options: { asOf?: () => EpochMs } = {},
  ) {}

  async announce(bootId: BootId, policies: readonly AnnouncedPolicy[]): Promise<void> {
    const sorted = [...policies].sort((one, other) => one.typeId - other.typeId);
    await this.reads.transaction(
      async (session) => {
        await session.run(withdrawPolicies, { bootId });
        await session.run(announcePolicies, { bootId, policies: sorted });
      },
      { statementTimeoutMs: TIMEOUT_MS },
    );
  }

  async settle(settledMs: number): Promise<void> {
    await this.reads.run(settlePolicies, { settledMs, asOf: this.options.asOf?.() ?? null });
  }

  conflicts(): Promise<PolicyConflict[]> {
    return this.reads.run(policyConflicts, null);
  }
}
