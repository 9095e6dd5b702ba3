import { TickwheelError } from "@tickwheel/core";
import { UsageByCaller } from "./usage-by-caller.js";

export interface LastingLimits {
  /** At once, of everybody together. Default 1,000. */
  perNode?: number;
  /** At once, of one API key, its sessions among them. Default 100. */
  perKey?: number;
  /** At once, of one session of the page. Default 6. */
  perSession?: number;
}

/**
 * How many answers that are meant to last may be under way: streams, and polls that wait for something to happen. They
 * cost memory and a connection, hardly any work, so they are none of the requests in progress that {@link LoadLimit}
 * counts, and have limits of their own.
 */
export class LastingLoads {
  private readonly underWay = new UsageByCaller();
  private readonly bySession = new UsageByCaller();
  private readonly limits: Required<LastingLimits>;

  constructor({ perNode = 1_000, perKey = 100, perSession = 6 }: LastingLimits = {}) {
    this.limits = { perNode, perKey, perSession };
  }

  /**
   * Takes one of a caller; `done` is to be called when it is over, in whatever way. @throws TickwheelError
   * `RATE_LIMITED`
   *
   * @param session its session's id; null where it bears a key
   */
  take(caller: string, session: string | null = null): void {
    const { perNode, perKey, perSession } = this.limits;
    if (session !== null && this.bySession.of(session) >= perSession) throw tooMany(`This session has ${perSession}`);
    if (this.underWay.of(caller) >= perKey) throw tooMany(`This key has ${perKey}`);
    if (this.underWay.total >= perNode) throw tooMany(`This node has ${perNode}`);
    this.underWay.add(caller);
    if (session !== null) this.bySession.add(session);
  }

  /** How many are under way. */
  get total(): number {
    return this.underWay.total;
  }

  done(caller: string, session: string | null = null): void {
    this.underWay.remove(caller);
    if (session !== null) this.bySession.remove(session);
  }
}

function tooMany(who: string): TickwheelError {
  return new TickwheelError("RATE_LIMITED", `${who} streams or waiting polls on this node already.`);
}
