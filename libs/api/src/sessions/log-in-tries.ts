import { isIPv6 } from "node:net";
import { type Clock, TickwheelError } from "@tickwheel/core";

/** Keys that are no keys, of one address in a minute. */
const MOST_FAILED = 10;
const WINDOW_MS = 60_000;
/** Addresses that are remembered; beyond that whose minute began first goes first. */
const MAX_ADDRESSES = 10_000;

interface Tries {
  count: number;
  endMonoMs: number;
}

/**
 * How often an address may fail to log in: ten times in a minute. A try counts as failed until it is known to be good,
 * so that hundreds at once are no way around. For IPv6, a network of 64 bits is one address: its holder has all of it.
 */
export class LogInTries {
  /** By address, in the order in which their minutes began. */
  private readonly byAddress = new Map<string, Tries>();

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Counts a try as failed. @throws TickwheelError `RATE_LIMITED`, with the seconds until a further one is taken */
  take(address: string): void {
    const nowMonoMs = this.clock.monotonicMs();
    const tries = this.of(networkOf(address), nowMonoMs);
    if (tries.count >= MOST_FAILED)
      throw new TickwheelError("RATE_LIMITED", `This address has tried ${MOST_FAILED} wrong keys within a minute.`, {
        details: { retryAfterS: Math.ceil((tries.endMonoMs - nowMonoMs) / 1_000) },
      });
    tries.count++;
  }

  /** The try did not fail: its key was one, or nobody knows. */
  giveBack(address: string): void {
    const tries = this.byAddress.get(networkOf(address));
    if (tries && tries.count > 0) tries.count--;
  }

  private of(network: string, nowMonoMs: number): Tries {
    const known = this.byAddress.get(network);
    if (known && known.endMonoMs > nowMonoMs) return known;
    this.byAddress.delete(network);
    if (this.byAddress.size >= MAX_ADDRESSES) this.byAddress.delete(this.byAddress.keys().next().value!);
    const begun = { count: 0, endMonoMs: nowMonoMs + WINDOW_MS };
    this.byAddress.set(network, begun);
    return begun;
  }
}

/** The first 64 bits of an IPv6 address; any other text as it is. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("%", 1)[0]!.split("::");
  const [before, behind] = [head, tail ?? ""].map((half) => half.split(":").filter((part) => part !== ""));
  const zeros = tail === undefined ? 0 : 8 - before!.length - behind!.length;
  const groups = [...before!, ...Array.from({ length: zeros }, () => "0"), ...behind!];
  return groups.slice(0, 4).join(":");
}
