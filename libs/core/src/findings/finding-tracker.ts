import { type Cause, EARLIER_CODE, type Finding, type FindingCode, LATER_CODE } from "../reports/finding.js";
import type { SeenCause } from "../ports/finding-store.js";
import type { EpochMs } from "../task/task.js";
import { identityOf, inNeed } from "./finding-order.js";

/**
 * A cause is told when every look has seen it for so long, in milliseconds: what is over sooner, or only now and then
 * the case, needs nobody.
 */
export const OPEN_AFTER_MS = 3_000;
/** A finding is closed when its cause has not been seen for so long, in milliseconds. */
export const CLOSE_AFTER_MS = 10_000;

/**
 * Told at once, since somebody has waited already before the cause could be seen: a beat must have been missing, a loop
 * silent, a node declared dead.
 */
const AT_ONCE: ReadonlySet<FindingCode> = new Set(["LOOP_BLOCKED", "NODE_SUSPECT", "NODE_DIED"]);

/** What one node has seen of a cause. */
interface Sighting {
  cause: Cause;
  firstAt: EpochMs;
  lastAt: EpochMs;
  /** Between these it is known to have lasted: figures that are shown again and again were counted once. */
  known: { from: EpochMs; until: EpochMs };
}

/**
 * Makes findings of what is seen again and again: a cause opens one when it has lasted, and the finding closes when the
 * cause has been gone for a while, so that nothing flickers. A suspect node that is declared dead stays one finding.
 * The rows that all nodes share say what is open; a cause that is not in them yet, or while they cannot be read, is
 * told from memory. Pure: it is told the time. Memory: what was seen within {@link CLOSE_AFTER_MS}, and the open rows.
 */
export class FindingTracker {
  private readonly sightings = new Map<string, Sighting>();
  private rows = new Map<string, Finding>();

  /** One look at the cluster, and all that is the matter. */
  see(causes: readonly Cause[], now: EpochMs): void {
    for (const [identity, { lastAt }] of this.sightings)
      if (now - lastAt >= CLOSE_AFTER_MS) this.sightings.delete(identity);
    for (const { knownAt = now, ...cause } of causes) {
      const identity = identityOf(cause);
      const earlier = earlierOf(cause);
      const before = this.sightings.get(identity) ?? this.sightings.get(earlier);
      const known = { from: before?.known.from ?? knownAt, until: knownAt };
      this.sightings.delete(earlier);
      this.sightings.set(identity, { cause, firstAt: before?.firstAt ?? now, lastAt: now, known });
    }
    for (const [identity, sighting] of this.sightings)
      if (sighting.lastAt !== now && !isTold(sighting)) this.sightings.delete(identity);
  }

  /** Something was seen that has not lasted for long enough yet: the next looks decide about it. */
  get isUndecided(): boolean {
    return [...this.sightings].some(([identity, sighting]) => !isTold(sighting) && !this.rows.has(identity));
  }

  /**
   * What is to be written: causes that this look saw and that have lasted or are open already; and what was over before
   * it could be written, as an outage of the store.
   */
  toWrite(now: EpochMs): SeenCause[] {
    return [...this.sightings]
      .filter(([identity, sighting]) => {
        const isOpen = this.rows.has(identity);
        return sighting.lastAt === now ? isOpen || isTold(sighting) : !isOpen && isTold(sighting);
      })
      .map(([, { cause, firstAt }]) => ({ ...cause, since: firstAt }));
  }

  /** The open findings, as all nodes wrote them; none where they cannot be read. */
  read(open: readonly Finding[]): void {
    this.rows = new Map(open.map((finding) => [identityOf(finding), finding]));
  }

  /** What is the case now, worst first. */
  open(now: EpochMs): Finding[] {
    const own = [...this.sightings].filter(
      ([identity, sighting]) => sighting.lastAt === now && (this.rows.has(identity) || isTold(sighting)),
    );
    const told = own.map(([identity, { cause, firstAt }]): [string, Finding] => {
      const { id = `${identity} ${firstAt}`, since = firstAt } = this.rows.get(identity) ?? {};
      return [identity, { ...cause, id, since: Math.min(since, firstAt), until: null }];
    });
    const all = new Map([...this.rows, ...told]);
    return [...all.values()].filter((finding) => !all.has(laterOf(finding))).sort(inNeed);
  }
}

/** What this cause was before; empty: nothing. */
function earlierOf({ code, subject }: Cause): string {
  const earlier = EARLIER_CODE[code];
  return earlier === undefined ? "" : identityOf({ code: earlier, subject });
}

/** What this cause becomes; empty: nothing. */
function laterOf({ code, subject }: Cause): string {
  const later = LATER_CODE[code];
  return later === undefined ? "" : identityOf({ code: later, subject });
}

function isTold({ cause, known }: Sighting): boolean {
  return AT_ONCE.has(cause.code) || known.until - known.from >= OPEN_AFTER_MS;
}
