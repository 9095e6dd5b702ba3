import { type ClaimSecret, type ClaimSecretStore, type Clock, TickwheelError, wait } from "@tickwheel/core";
import { type PulledClaim, readToken, secretIdOf, tokenOf } from "./claim-tokens.js";

/** Secrets are read again at least this often, so that a new one is used and a retired one is not. */
const READ_EVERY_MS = 60_000;
/** A token of a secret that this node does not know makes it read them at most this often. */
const READ_PAUSE_MS = 200;

export interface SecretParts {
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  store: Pick<ClaimSecretStore, "readSecrets">;
}

/** Signs the tokens of claims and reads them, with the secrets that all nodes share. */
export class ClaimSecrets {
  private known = new Map<number, ClaimSecret>();
  private newest: ClaimSecret | null = null;
  private readMonoMs = -Infinity;
  private reading: Promise<void> | null = null;

  constructor(private readonly parts: SecretParts) {}

  /** The tokens of these claims. @throws TickwheelError `STORE_UNAVAILABLE`: no secret was read yet, and none can be */
  async sign(claims: readonly Omit<PulledClaim, "namespace">[]): Promise<string[]> {
    await this.refresh();
    const secret = this.newest;
    if (secret === null) throw new TickwheelError("STORE_UNAVAILABLE", "no secret was read yet");
    return claims.map((claim) => tokenOf(claim, secret));
  }

  /**
   * What a token names; null: it is none of this cluster's, or its secret was retired.
   *
   * @throws what the store throws
   */
  async read(token: string): Promise<Omit<PulledClaim, "namespace"> | null> {
    const id = secretIdOf(token);
    if (id === null) return null;
    await this.refresh();
    if (!this.known.has(id)) await this.readAgain();
    const secret = this.known.get(id);
    return secret === undefined ? null : readToken(token, secret);
  }

  /** Reads the secrets if that is long ago. Where some are known, a failure is none: they are tried again later. */
  private async refresh(): Promise<void> {
    if (this.parts.clock.monotonicMs() - this.readMonoMs < READ_EVERY_MS) return;
    if (this.newest === null) return this.readAgain();
    await this.readAgain().catch(() => undefined);
  }

  /** A call that asks while they are read waits for the same answer. */
  private readAgain(): Promise<void> {
    this.reading ??= this.readInTime().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readInTime(): Promise<void> {
    const { clock, store } = this.parts;
    const pauseMs = this.readMonoMs + READ_PAUSE_MS - clock.monotonicMs();
    if (pauseMs > 0) await wait(clock, pauseMs);
    this.readMonoMs = clock.monotonicMs();
    const secrets = await store.readSecrets();
    this.known = new Map(secrets.map((secret) => [secret.id, secret]));
    this.newest = secrets[0] ?? null;
  }
}
