import type { Clock, Random } from "@tickwheel/core";
import type { Inlet, Link } from "@tickwheel/testing";

/** How long messages take when nothing is wrong, milliseconds; now and then one takes ten times as long. */
const USUAL_MS = 1.5;
const SLOW_SHARE = 0.01;

/** What is wrong with the way between a node and its database. */
export type Cut = "both" | "there" | "back" | null;

/** The way between one thread of a node and Postgres. What is lost is never heard of. */
export class DatabaseLink implements Link {
  cut: Cut = null;

  constructor(private readonly parts: { virtual: Clock; random: Random; inlet: Inlet }) {}

  toDatabase(): Promise<void> {
    return this.travel((arrive) => arrive(), this.cut === "both" || this.cut === "there");
  }

  toNode(): Promise<void> {
    const { inlet } = this.parts;
    return this.travel((arrive) => inlet.deliver(arrive), this.cut === "both" || this.cut === "back");
  }

  private travel(arrive: (go: () => void) => void, isLost: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (!isLost) this.parts.virtual.setTimer(this.delayMs(), () => arrive(resolve));
    });
  }

  private delayMs(): number {
    const { random } = this.parts;
    const usual = USUAL_MS * random.next();
    return random.next() < SLOW_SHARE ? usual * 10 : usual;
  }
}
