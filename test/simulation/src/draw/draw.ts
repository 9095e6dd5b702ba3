import type { Random } from "@tickwheel/core";

/** Draws from a source of random numbers. */
export class Draw {
  constructor(private readonly random: Random) {}

  chance(share: number): boolean {
    return this.random.next() < share;
  }

  between(low: number, high: number): number {
    return low + this.random.next() * (high - low);
  }

  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.integer(0, from.length - 1)]!;
  }

  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
    let left = this.random.next() * total;
    for (const [choice, weight] of choices) if ((left -= weight) < 0) return choice;
    return choices[0]![0];
  }
}
