import { Inject, Injectable } from "@nestjs/common";
import { type ApiKey, type Clock, SystemClock } from "@tickwheel/core";
import { DelayTaskNode } from "@tickwheel/nestjs";
import { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";

/** How long a look-up is believed, in milliseconds: a revoked key works no longer than this. */
const BELIEVED_MS = 5_000;
/** Look-ups that are remembered, so that made-up keys cost no memory. */
const MAX_REMEMBERED = 10_000;

/** Finds API keys, remembering each look-up for a few seconds. */
@Injectable()
export class ApiKeyRing {
  private readonly clock: Clock = new SystemClock();
  private readonly remembered = new Map<string, { key: ApiKey | null; untilMonoMs: number }>();

  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {}

  /** The key's record, or null: unknown, expired, or too short to be one. */
  async find(secret: string | null): Promise<ApiKey | null> {
    if (secret === null || secret.length < MIN_KEY_LENGTH) return null;
    const hash = hashApiKey(secret);
    const known = this.remembered.get(hash);
    if (known && known.untilMonoMs > this.clock.monotonicMs()) return known.key;
    const key = await this.node.apiKeys.findByHash(hash);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(hash, { key, untilMonoMs: this.clock.monotonicMs() + BELIEVED_MS });
    return key;
  }

  /**
   * Makes sure that there is a first administrator: the given key, or, where there is no key at all, a new one. Of nodes that start
   * together one makes it.
   *
   * @returns the new key's text, to be shown once; null where none was made
   */
  async ensureFirstKey(given: string | null, namespace: string): Promise<string | null> {
    if (given === null) {
      const key = newApiKey();
      return (await this.node.apiKeys.addFirst(hashApiKey(key), namespace)) ? key : null;
    }
    await this.node.apiKeys.ensureAdministrator(hashApiKey(given), namespace);
    return null;
  }
}
