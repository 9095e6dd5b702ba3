import { TickwheelError } from "@tickwheel/core";
import { UsageByCaller } from "./usage-by-caller.js";

export interface LastingLimits {
  /** At once, of everybody together. Default 1,000. */
  perNode?: number;
  /** At once, of one API key. Default 100. */
  perKey?: number;
}

/**
 * How many answers that are meant to last may be under way: streams, and polls that wait for something to happen. They
 * cost memory and a connection, hardly any work, so they are none of the requests in progress that {@link LoadLimit}
 * counts, and have limits of their own.
 */
export class LastingLoads {
  private readonly underWay = new UsageByCaller();
  private readonly perNode: number;
  private readonly perKey: number;

  constructor({ perNode = 1_000, perKey = 100 }: LastingLimits = {}) {
    this.perNode = perNode;
    this.perKey = perKey;
  }

  /**
   * Takes one of a caller; `done` is to be called when it is over, in whatever way. @throws TickwheelError
   * `RATE_LIMITED`
   */
  take(caller: string): void {
    if (this.underWay.of(caller) >= this.perKey)
      throw new TickwheelError(
        "RATE_LIMITED",
        `This key has ${this.perKey} streams or waiting polls on this node already.`,
      );
    if (this.underWay.total >= this.perNode)
      throw new TickwheelError("RATE_LIMITED", `This node has ${this.perNode} streams or waiting polls already.`);
    this.underWay.add(caller);
  }

  done(caller: string): void {
    this.underWay.remove(caller);
  }
}
