const MEBIBYTE = 1024 * 1024;

export interface BodyShares {
  /** Of all together, in bytes. */
  node: number;
  /** Of one owner, in bytes. */
  owner: number;
}

/** Four full bulk calls at once, and two of one key. Parsed, a body takes several times its length. */
const DEFAULT_SHARES: BodyShares = { node: 64 * MEBIBYTE, owner: 32 * MEBIBYTE };

/**
 * How many bytes of long bodies a node holds at once, and of each key a share, so that nobody's bodies take the memory of all. Short ones do
 * not count: the number of requests in progress bounds them.
 */
export class BodyBudget {
  private taken = 0;
  private readonly byOwner = new Map<string, number>();

  constructor(private readonly shares: BodyShares = DEFAULT_SHARES) {}

  /** Takes so many bytes for an owner, if there is room. */
  take(owner: string, bytes: number): boolean {
    const owned = (this.byOwner.get(owner) ?? 0) + bytes;
    if (this.taken + bytes > this.shares.node || owned > this.shares.owner) return false;
    this.taken += bytes;
    this.byOwner.set(owner, owned);
    return true;
  }

  giveBack(owner: string, bytes: number): void {
    this.taken -= bytes;
    const owned = this.byOwner.get(owner)! - bytes;
    if (owned > 0) this.byOwner.set(owner, owned);
    else this.byOwner.delete(owner);
  }
}
