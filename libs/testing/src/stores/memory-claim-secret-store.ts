import { randomBytes } from "node:crypto";
import type { ClaimSecret, ClaimSecretStore } from "@tickwheel/core";

const SECRET_BYTES = 32;
const MOST = 255;

/** A {@link ClaimSecretStore} in memory, for one node. Its secrets have no age, so none is retired. */
export class MemoryClaimSecretStore implements ClaimSecretStore {
  private readonly secrets: ClaimSecret[] = [];

  constructor() {
    void this.addSecret();
  }

  readSecrets(): Promise<ClaimSecret[]> {
    return Promise.resolve(this.secrets.map((secret) => ({ ...secret })));
  }

  addSecret(): Promise<number> {
    const id = ((this.secrets[0]?.id ?? 0) % MOST) + 1;
    this.secrets.unshift({ id, value: randomBytes(SECRET_BYTES), madeAt: 0 });
    this.secrets.length = Math.min(this.secrets.length, MOST);
    return Promise.resolve(id);
  }

  retireSecrets(): Promise<number> {
    return Promise.resolve(0);
  }
}
