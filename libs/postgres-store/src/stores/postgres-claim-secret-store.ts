import { randomBytes } from "node:crypto";
import type { ClaimSecret, ClaimSecretStore, EpochMs } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { addSecret, lockSecrets, readSecrets, retireSecrets } from "../statements/pull/claim-secrets.js";
import { readNow } from "../statements/server/now.js";

const SECRET_BYTES = 32;
const TIMEOUT_MS = 2_000;

/** The secrets of claims' tokens as rows. They use the connections for reads, never the engine's. */
export class PostgresClaimSecretStore implements ClaimSecretStore {
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "transaction">,
    private readonly options: { asOf?: (() => EpochMs) | undefined } = {},
  ) {}

  readSecrets(): Promise<ClaimSecret[]> {
    return this.reads.run(readSecrets, null);
  }

  addSecret(): Promise<number> {
    const asOf = this.options.asOf?.() ?? null;
    return this.reads.transaction(
      async (session) => {
        await session.run(lockSecrets, null);
        return (await session.run(addSecret, { value: randomBytes(SECRET_BYTES), asOf }))[0]!;
      },
      { statementTimeoutMs: TIMEOUT_MS },
    );
  }

  async retireSecrets(olderThanMs: number): Promise<number> {
    const asOf = this.options.asOf?.() ?? null;
    const [now] = await this.reads.run(readNow, { asOf });
    return (await this.reads.run(retireSecrets, { before: now! - olderThanMs })).length;
  }
}
