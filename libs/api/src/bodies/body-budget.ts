import { UsageByCaller } from "../limits/usage-by-caller.js";

const MEBIBYTE = 1024 * 1024;

export interface BodyShares {
  /** The budget of all owners together, in bytes. */
  node: number;
  /** The budget of one owner, in bytes. */
  owner: number;
}

/** Four full bulk calls at once, and two of one key. Parsed, a body takes several times its length. */
const DEFAULT_SHARES: BodyShares = { node: 64 * MEBIBYTE, owner: 32 * MEBIBYTE };

/**
 * How many bytes of long bodies a node holds at once, and of each key a share, so that nobody's bodies take the memory
 * of all. Short ones do not count: the number of requests in progress bounds them.
 */
export class BodyBudget {
  private readonly taken = new UsageByCaller();

  constructor(private readonly shares: BodyShares = DEFAULT_SHARES) {}

  /** Takes so many bytes for an owner, if there is room. */
  take(owner: string, bytes: number): boolean {
    const { node, owner: most } = this.shares;
    if (this.taken.total + bytes > node || this.taken.of(owner) + bytes > most) return false;
    this.taken.add(owner, bytes);
    return true;
  }

  giveBack(owner: string, bytes: number): void {
    this.taken.remove(owner, bytes);
  }
}
