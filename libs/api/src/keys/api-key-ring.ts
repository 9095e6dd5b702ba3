import { Inject, Injectable, Logger } from "@nestjs/common";
import { type ApiKey, type Clock, SystemClock, TickwheelError } from "@tickwheel/core";
import { DelayTaskNode } from "@tickwheel/nestjs";
import { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";
import { Shares } from "../limits/shares.js";

/** How long a look-up is believed, in milliseconds: a revoked key works no longer than this. */
const BELIEVED_MS = 5_000;
/** Keys that are remembered, and as many texts that are none: made-up keys cost no memory, and push no key out. */
const MAX_REMEMBERED = 10_000;
/** So many look-ups of texts that are not known for keys may be under way, and of one address's so many; more would only wait for each other. */
const MAX_STRANGERS = { all: 16, address: 4 };

const REPLACED =
  "The first administrator key that this node was given has been replaced by another one, and does not work: give the new one, or one that was never used.";

/** A look-up, under way or over. */
interface LookUp {
  found: Promise<ApiKey | null>;
  untilMonoMs: number;
}

/**
 * Finds API keys, remembering each look-up for a few seconds. The same text is asked for once, however many requests bear it, and whoever tries
 * texts keeps nobody waiting whose key is known.
 */
@Injectable()
export class ApiKeyRing {
  private readonly logger = new Logger("Tickwheel API");
  private readonly clock: Clock = new SystemClock();
  private readonly keys = new Map<string, LookUp>();
  private readonly strangers = new Map<string, LookUp>();
  /** How many look-ups of texts that are not known are under way, by the address that they came from. */
  private readonly underWay = new Shares();

  constructor(@Inject(DelayTaskNode) private readonly node: Pick<DelayTaskNode, "apiKeys">) {}

  /**
   * The key's record, or null: unknown, expired, or too short to be one.
   *
   * @param address whoever asks; of one address fewer texts that are not known are looked up at once than of all
   * @throws TickwheelError `RATE_LIMITED` for a text that is not known yet, while too many of them are looked up
   */
  async find(secret: string | null, address = ""): Promise<ApiKey | null> {
    if (secret === null || secret.length < MIN_KEY_LENGTH) return null;
    const hash = hashApiKey(secret);
    const known = this.keys.get(hash) ?? this.strangers.get(hash);
    if (known && known.untilMonoMs > this.clock.monotonicMs()) return known.found;
    return this.keys.has(hash) ? this.ask(hash, this.keys) : this.askForStranger(hash, address);
  }

  private async askForStranger(hash: string, address: string): Promise<ApiKey | null> {
    if (this.underWay.total >= MAX_STRANGERS.all || this.underWay.of(address) >= MAX_STRANGERS.address)
      throw new TickwheelError("RATE_LIMITED", "Too many keys that this node has not seen are tried just now.");
    this.underWay.add(address);
    try {
      return await this.ask(hash, this.strangers);
    } finally {
      this.underWay.remove(address);
    }
  }

  /** Looks a text up, and remembers it from now on for what it turns out to be; a look-up that fails only ends what was believed. */
  private ask(hash: string, believedAs: Map<string, LookUp>): Promise<ApiKey | null> {
    const lookUp = { found: this.fromStore(hash), untilMonoMs: this.clock.monotonicMs() + BELIEVED_MS };
    remember(believedAs, hash, lookUp);
    const settle = (key: ApiKey | null): void => {
      believedAs.delete(hash);
      remember(key === null ? this.strangers : this.keys, hash, lookUp);
    };
    lookUp.found.then(settle, () => (lookUp.untilMonoMs = Number.NEGATIVE_INFINITY));
    return lookUp.found;
  }

  private async fromStore(hash: string): Promise<ApiKey | null> {
    return this.node.apiKeys.findByHash(hash);
  }

  /**
   * Makes sure that there is a first administrator: the given key, in place of the one that was given before it, or, where there is no key
   * at all, a new one. Of nodes that start together one makes it. A key that was replaced is not taken again, so that nodes which are
   * started one by one with another key do not take turns; that is warned of.
   *
   * @returns the new key's text, to be shown once; null where none was made
   */
  async ensureFirstKey(given: string | null, namespace: string): Promise<string | null> {
    if (given === null) {
      const key = newApiKey();
      return (await this.node.apiKeys.addFirst(hashApiKey(key), namespace)) ? key : null;
    }
    if ((await this.node.apiKeys.replaceFirst(hashApiKey(given), namespace)) === null) this.logger.warn(REPLACED);
    return null;
  }
}

/** What was remembered first goes first. */
function remember(lookUps: Map<string, LookUp>, hash: string, lookUp: LookUp): void {
  lookUps.delete(hash);
  if (lookUps.size >= MAX_REMEMBERED) lookUps.delete(lookUps.keys().next().value!);
  lookUps.set(hash, lookUp);
}
