/** How much of something is in use, and how much of that by whom. A caller that uses nothing takes no memory. */
export class UsageByCaller {
  private used = 0;
  private readonly byOwner = new Map<string, number>();

  get total(): number {
    return this.used;
  }

  /** How many have some of it. */
  get owners(): number {
    return this.byOwner.size;
  }

  of(owner: string): number {
    return this.byOwner.get(owner) ?? 0;
  }

  add(owner: string, amount = 1): void {
    this.used += amount;
    this.byOwner.set(owner, this.of(owner) + amount);
  }

  remove(owner: string, amount = 1): void {
    this.used -= amount;
    const left = this.of(owner) - amount;
    if (left > 0) this.byOwner.set(owner, left);
    else this.byOwner.delete(owner);
  }
}
