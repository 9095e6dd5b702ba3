import {
  type Breaker,
  type BreakerChange,
  breakerEvent,
  type BreakerReply,
  type BreakerStore,
  decideBreaker,
  type EpochMs,
  keptBreaker,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { Session } from "../connection/session.js";
import { lockBreaker } from "../statements/breakers/lock-breaker.js";
import { readBreakers } from "../statements/breakers/read-breakers.js";
import { deleteBreaker, forgetBreakers, writeBreaker } from "../statements/breakers/write-breaker.js";
import { appendClusterEvents } from "../statements/events/append-cluster-events.js";

/** Each statement of a change has this long, a wait for another change included. */
const TIMEOUT_MS = 2_000;

/** Breakers as rows. A change holds one row of a breaker and no other lock [lock-order]. */
export class PostgresBreakerStore implements BreakerStore {
  constructor(
    private readonly database: Pick<PostgresDatabase, "run" | "transaction">,
    private readonly options: { asOf?: () => EpochMs } = {},
  ) {}

  readBreakers(): Promise<Breaker[]> {
    return this.database.run(readBreakers, { asOf: this.asOf() });
  }

  changeBreaker(change: BreakerChange): Promise<BreakerReply> {
    return this.database.transaction((session) => changeBreaker(session, change, this.asOf()), {
      statementTimeoutMs: TIMEOUT_MS,
    });
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

async function changeBreaker(session: Session, change: BreakerChange, asOf: EpochMs | null): Promise<BreakerReply> {
  const { subject } = change;
  for (;;) {
    const [known] = await session.run(lockBreaker, { subject, asOf });
    const before = keptBreaker(known!);
    const after = decideBreaker(change, known!);
    if (after === before) return { changed: false, breaker: after };
    const isLocked = known!.breaker !== null;
    if (after === null) await session.run(deleteBreaker, subject);
    // Somebody else has opened it meanwhile: now there is a row to hold.
    else if ((await session.run(writeBreaker, { breaker: after, isLocked })).length === 0) continue;
    if (before === null) await session.run(forgetBreakers, { asOf });
    const event = breakerEvent(change, { before, after });
    if (event !== null) await session.run(appendClusterEvents, { events: [{ ...event, agoMs: 0 }], asOf });
    return { changed: true, breaker: after };
  }
}
