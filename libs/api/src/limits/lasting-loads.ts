import { leavesEnough, TickwheelError } from "@tickwheel/core";
import { UsageByCaller } from "./usage-by-caller.js";

export interface LastingLimits {
  /** At once, of everybody together; one namespace has four times what it leaves free at most. Default 1,000. */
  perNode?: number;
  /** At once, of one API key, its sessions among them. Default 100. */
  perKey?: number;
  /** At once, of one session of the page. Default 6. */
  perSession?: number;
}

/** Whose answer it is. */
export interface LastingCaller {
  namespace: string;
  /** The id of the API key, its session's too. */
  key: string;
  /** The id of the session; null: the call bears a key. */
  session: string | null;
}

/**
 * How many answers that are meant to last may be under way: streams, and polls that wait for something to happen. They
 * cost memory and a connection, hardly any work, so they are none of the requests in progress that {@link LoadLimit}
 * counts, and have limits of their own. Namespaces share those of the node: one that has many is refused before those
 * that have none, however many keys it has, see {@link leavesEnough}.
 */
export class LastingLoads {
  private readonly underWay = new UsageByCaller();
  private readonly byNamespace = new UsageByCaller();
  private readonly bySession = new UsageByCaller();
  private readonly limits: Required<LastingLimits>;

  constructor({ perNode = 1_000, perKey = 100, perSession = 6 }: LastingLimits = {}) {
    this.limits = { perNode, perKey, perSession };
  }

  /**
   * Takes one of a caller; {@link done} is to be called when it is over, in whatever way. @throws TickwheelError
   * `RATE_LIMITED`
   */
  take({ namespace, key, session }: LastingCaller): void {
    const { perNode, perKey, perSession } = this.limits;
    if (session !== null && this.bySession.of(session) >= perSession) throw tooMany(`This session has ${perSession}`);
    if (this.underWay.of(key) >= perKey) throw tooMany(`This key has ${perKey}`);
    const { total } = this.underWay;
    const taken = this.byNamespace.of(namespace);
    if (total >= perNode) throw tooMany(`This node has ${perNode}`);
    if (!leavesEnough({ taken, free: perNode - total })) throw tooMany(`This namespace has ${taken} of ${total}`);
    this.underWay.add(key);
    this.byNamespace.add(namespace);
    if (session !== null) this.bySession.add(session);
  }

  /** How many are under way. */
  get total(): number {
    return this.underWay.total;
  }

  done({ namespace, key, session }: LastingCaller): void {
    this.underWay.remove(key);
    this.byNamespace.remove(namespace);
    if (session !== null) this.bySession.remove(session);
  }
}

/**
 * The same for polls of consumers: they wait for tasks, most of the time for none. Default: 10,000 of a node, 1,000 of
 * a key.
 */
export class PollLoads extends LastingLoads {
  constructor({ perNode = 10_000, perKey = 1_000 }: Omit<LastingLimits, "perSession"> = {}) {
    super({ perNode, perKey });
  }
}

function tooMany(who: string): TickwheelError {
  return new TickwheelError("RATE_LIMITED", `${who} streams or waiting polls on this node already.`);
}
