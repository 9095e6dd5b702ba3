import { Inject, Injectable, Logger } from "@nestjs/common";
import { type ApiKey, type Clock, SystemClock, TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "./api-node.js";
import { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";
import { type LookUpCounts, LookUpRing } from "./look-up-ring.js";

const REPLACED =
  "The first administrator key that this node was given has been replaced by another one, and does not work: give the new one, or one that was never used.";

/** Finds API keys, remembering each look-up for a few seconds: see {@link LookUpRing}. */
@Injectable()
export class ApiKeyRing {
  private readonly logger = new Logger("Tickwheel API");
  private readonly ring: LookUpRing<ApiKey>;

  constructor(
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "apiKeys" | "beforeStart" | "isStarted">,
    @Inject(SystemClock) clock: Pick<Clock, "monotonicMs">,
  ) {
    this.ring = new LookUpRing(async (hashes) => this.node.apiKeys.findByHashes(hashes), clock);
  }

  /**
   * The key's record, or null: unknown, expired, or too short to be one.
   *
   * @throws TickwheelError `RATE_LIMITED` for a text that is not known yet, where thousands of them wait
   */
  async find(secret: string | null): Promise<ApiKey | null> {
    if (secret === null || secret.length < MIN_KEY_LENGTH) return null;
    return this.ring.find(hashApiKey(secret));
  }

  get counts(): LookUpCounts {
    return this.ring.counts;
  }

  /**
   * Makes sure that there is a first administrator: the given key, in place of the one that was given before it, or,
   * where there is no key at all, a new one. Where nodes start together, one of them makes it. A key that was replaced
   * is not taken again, so that nodes which are started one by one with another key do not take turns; that is warned
   * of.
   *
   * Where Postgres is away when an application comes up, nothing is awaited: the node does it as soon as Postgres
   * answers, before it is ready, and a new key is shown in the log.
   *
   * @returns the new key's text, to be shown once; null where none was made
   */
  async ensureFirstKey(given: string | null, namespace: string): Promise<string | null> {
    try {
      return await this.makeFirstKey(given, namespace);
    } catch (error) {
      if (this.node.isStarted || !(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") throw error;
    }
    this.node.beforeStart({ doing: "making the first key", run: () => this.makeFirstKeyLate(given, namespace) });
    return null;
  }

  private async makeFirstKey(given: string | null, namespace: string): Promise<string | null> {
    if (given === null) {
      const key = newApiKey();
      return (await this.node.apiKeys.addFirst(hashApiKey(key), namespace)) ? key : null;
    }
    if ((await this.node.apiKeys.replaceFirst(hashApiKey(given), namespace)) === null) this.logger.warn(REPLACED);
    return null;
  }

  private async makeFirstKeyLate(given: string | null, namespace: string): Promise<void> {
    const key = await this.makeFirstKey(given, namespace);
    if (key !== null) this.logger.warn(`The first key, made now that Postgres answers, and shown only now: ${key}`);
  }
}
