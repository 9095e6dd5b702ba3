import type { Clock, Random } from "@tickwheel/core";
import type { Inlet, Link } from "@tickwheel/testing";

/** How long messages take when nothing is wrong, milliseconds; now and then one takes ten times as long. */
const USUAL_MS = 1.5;
const SLOW_SHARE = 0.01;

/** What is wrong with the way between a node and its database. */
export type Cut = "both" | "there" | "back" | null;

/**
 * The way between one thread of a node and Postgres, as TCP makes it: what is sent while it is cut arrives when it is mended, however little
 * its sender cares by then.
 */
export class DatabaseLink implements Link {
  private way: Cut = null;
  private readonly held: { isThere: boolean; go: () => void }[] = [];

  constructor(private readonly parts: { virtual: Clock; random: Random; inlet: Inlet }) {}

  /** Cuts it, or mends it. */
  cut(way: Cut): void {
    this.way = way;
    const held = this.held.splice(0);
    for (const { isThere, go } of held) this.travel(isThere, go);
  }

  toDatabase(): Promise<void> {
    return new Promise((resolve) => this.travel(true, resolve));
  }

  toNode(): Promise<void> {
    const { inlet } = this.parts;
    return new Promise((resolve) => this.travel(false, () => inlet.deliver(resolve)));
  }

  private travel(isThere: boolean, go: () => void): void {
    const isHeld = this.way === "both" || this.way === (isThere ? "there" : "back");
    if (isHeld) this.held.push({ isThere, go });
    else this.parts.virtual.setTimer(this.delayMs(), go);
  }

  private delayMs(): number {
    const { random } = this.parts;
    const usual = USUAL_MS * random.next();
    return random.next() < SLOW_SHARE ? usual * 10 : usual;
  }
}
