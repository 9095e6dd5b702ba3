import { leavesEnough, mostLeavingEnough } from "@tickwheel/core";
import type { LinePlace } from "./fair-line.js";

/**
 * At most this many statements of the callers' reads are under way or waiting, and as many of the node's own. Further
 * ones are refused, since they would wait longer than their callers do.
 */
export const MAX_WAITING_READS = 200;
/** At most this many of them are of one namespace, so that others find places. */
export const MAX_READS_OF_NAMESPACE = MAX_WAITING_READS / 2;
/** A caller with a name has at most this part of what its namespace may have. */
const CALLERS_PART = 1 / 2;

/** Who has taken so many that there is no place for one more. */
export interface NoPlace {
  of: "namespace" | "caller";
  taken: number;
}

/** The places that one namespace has. */
interface TakenPlaces {
  total: number;
  byCaller: Map<string, number>;
}

/**
 * Who has how many places among the reads of a node that are under way or wait. One namespace has
 * {@link MAX_READS_OF_NAMESPACE} at most, several leave some to those who come: see {@link leavesEnough}. A caller
 * with a name has at most half of what its namespace may have just now. Several such callers leave some to those who
 * come; one that has none takes the last. The node's own reads have places of their own, as many as all others
 * together. A namespace or caller without a place takes no memory.
 */
export class ReadPlaces {
  private readonly taken = new Map<string, TakenPlaces>();
  /** The free places of all but the node's own reads. */
  private free = MAX_WAITING_READS;

  /** @param readers `own`: what stands for a namespace where the node reads for itself */
  constructor(private readonly readers: { own: string }) {}

  /** Takes a place; {@link leave} gives it back. Where there is none, it tells why and takes nothing. */
  take(who: LinePlace): NoPlace | null {
    const { total = 0, byCaller = new Map<string, number>() } = this.taken.get(who.namespace) ?? {};
    const ofCaller = byCaller.get(who.caller ?? "") ?? 0;
    const refusal = this.refusal(who, { total, ofCaller });
    if (refusal) return refusal;
    byCaller.set(who.caller ?? "", ofCaller + 1);
    this.taken.set(who.namespace, { total: total + 1, byCaller });
    if (who.namespace !== this.readers.own) this.free--;
    return null;
  }

  leave({ namespace, caller = "" }: LinePlace): void {
    const places = this.taken.get(namespace)!;
    const left = places.byCaller.get(caller)! - 1;
    if (left > 0) places.byCaller.set(caller, left);
    else places.byCaller.delete(caller);
    if (--places.total === 0) this.taken.delete(namespace);
    if (namespace !== this.readers.own) this.free++;
  }

  private refusal(who: LinePlace, taken: { total: number; ofCaller: number }): NoPlace | null {
    const { total, ofCaller } = taken;
    const ofNamespace: NoPlace = { of: "namespace", taken: total };
    if (who.namespace === this.readers.own) return total < MAX_WAITING_READS ? null : ofNamespace;
    if (total >= MAX_READS_OF_NAMESPACE || !leavesEnough({ taken: total, free: this.free })) return ofNamespace;
    if (who.caller === undefined || ofCaller === 0) return null;
    const most = Math.min(MAX_READS_OF_NAMESPACE, mostLeavingEnough(total + this.free));
    const mayHave = ofCaller < most * CALLERS_PART && leavesEnough({ taken: ofCaller, free: most - total });
    return mayHave ? null : { of: "caller", taken: ofCaller };
  }
}
