import { Inject, Injectable, Logger } from "@nestjs/common";
import { type ApiKey, type Clock, SystemClock } from "@tickwheel/core";
import { DelayTaskNode } from "@tickwheel/nestjs";
import { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";
import { KeyLookUps } from "./key-look-ups.js";

/** How long a look-up is believed, in milliseconds: a revoked key works no longer than this. */
const BELIEVED_MS = 5_000;
/** Keys that are remembered, and as many texts that are none: made-up keys cost no memory, and push no key out. */
const MAX_REMEMBERED = 10_000;
const REPLACED =
  "The first administrator key that this node was given has been replaced by another one, and does not work: give the new one, or one that was never used.";

/** A look-up, under way or over. */
interface LookUp {
  found: Promise<ApiKey | null>;
  untilMonoMs: number;
}

/**
 * Texts that were looked up, and how such texts are looked up again: those that are keys never wait behind those that
 * are none.
 */
interface Remembered {
  readonly lookUps: Map<string, LookUp>;
  readonly ask: KeyLookUps;
}

/**
 * Finds API keys, remembering each look-up for a few seconds. The same text is asked for once, however many requests
 * bear it, and texts that are asked for at once are looked up together. So whoever tries texts keeps nobody waiting:
 * neither whose key is known, nor whose key is new here.
 */
@Injectable()
export class ApiKeyRing {
  private readonly logger = new Logger("Tickwheel API");
  private readonly clock: Clock = new SystemClock();
  private readonly keys: Remembered;
  private readonly strangers: Remembered;

  constructor(@Inject(DelayTaskNode) private readonly node: Pick<DelayTaskNode, "apiKeys">) {
    this.keys = { lookUps: new Map(), ask: new KeyLookUps((hashes) => this.look(hashes)) };
    this.strangers = { lookUps: new Map(), ask: new KeyLookUps((hashes) => this.look(hashes)) };
  }

  /**
   * The key's record, or null: unknown, expired, or too short to be one.
   *
   * @throws TickwheelError `RATE_LIMITED` for a text that is not known yet, where thousands of them wait
   */
  async find(secret: string | null): Promise<ApiKey | null> {
    if (secret === null || secret.length < MIN_KEY_LENGTH) return null;
    const hash = hashApiKey(secret);
    const known = this.keys.lookUps.get(hash) ?? this.strangers.lookUps.get(hash);
    if (known && known.untilMonoMs > this.clock.monotonicMs()) return known.found;
    return this.ask(hash, this.keys.lookUps.has(hash) ? this.keys : this.strangers);
  }

  /**
   * Looks a text up, and remembers it from now on for what it turns out to be; a look-up that fails only ends what was
   * believed.
   */
  private ask(hash: string, believedAs: Remembered): Promise<ApiKey | null> {
    const lookUp = { found: believedAs.ask.find(hash), untilMonoMs: this.clock.monotonicMs() + BELIEVED_MS };
    remember(believedAs, hash, lookUp);
    const settle = (key: ApiKey | null): void => {
      believedAs.lookUps.delete(hash);
      remember(key === null ? this.strangers : this.keys, hash, lookUp);
    };
    lookUp.found.then(settle, () => (lookUp.untilMonoMs = Number.NEGATIVE_INFINITY));
    return lookUp.found;
  }

  private async look(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKey>> {
    return this.node.apiKeys.findByHashes(hashes);
  }

  /**
   * Makes sure that there is a first administrator: the given key, in place of the one that was given before it, or,
   * where there is no key at all, a new one. Of nodes that start together one makes it. A key that was replaced is not
   * taken again, so that nodes which are started one by one with another key do not take turns; that is warned of.
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
function remember({ lookUps }: Remembered, hash: string, lookUp: LookUp): void {
  lookUps.delete(hash);
  if (lookUps.size >= MAX_REMEMBERED) lookUps.delete(lookUps.keys().next().value!);
  lookUps.set(hash, lookUp);
}
