import { type BreakerStore, type BreakerSubject, type HostRest, MAX_HOST_REST_MS } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { OpenBreakers } from "./open-breakers.js";

const OPERATION = "giving a host its rest";
/** Two estimates of the database's time differ by less: an end that is later by less is the same. */
const SLACK_MS = 100;

interface RestParts {
  dbClock: Pick<DbClock, "nowMs">;
  health: Pick<Health, "attempt">;
  store: Pick<BreakerStore, "changeBreaker">;
  open: OpenBreakers;
  /** Other nodes should read. */
  announce: () => void;
}

/**
 * Hosts that have asked for a rest (`Retry-After`): no node delivers anything of the namespace to them until it is
 * over. Where a host asks several times meanwhile, the last end is written, one write at a time. One that cannot be
 * written is lost: the task that met it is put off all the same. Bounded by the deliveries under way.
 */
export class HostRests {
  /** When the rest ends that is asked for next, by the database's clock; by the host's place. */
  private readonly underWay = new Map<string, { wantedUntil: number }>();

  constructor(private readonly parts: RestParts) {}

  /** How long a host is to be left alone, in milliseconds; 0: it may be called. */
  restMs({ namespace, host }: { namespace: string; host: string }): number {
    const { open, dbClock } = this.parts;
    if (open.areNone) return 0;
    const breaker = open.of({ kind: "host", namespace, name: host });
    return breaker === null ? 0 : Math.max(0, breaker.until - dbClock.nowMs());
  }

  /** A host has asked for a rest. */
  ask(namespace: string, { host, forMs }: HostRest): void {
    const subject = { kind: "host" as const, namespace, name: host };
    const place = `${namespace}\0${host}`;
    const wantedUntil = this.parts.dbClock.nowMs() + Math.min(forMs, MAX_HOST_REST_MS);
    const known = this.underWay.get(place);
    if (known) known.wantedUntil = Math.max(known.wantedUntil, wantedUntil);
    else if (wantedUntil > this.knownEnd(subject)) void this.write(subject, place, wantedUntil);
  }

  private async write(subject: BreakerSubject, place: string, wantedUntil: number): Promise<void> {
    const { dbClock, health, store, open, announce } = this.parts;
    const wish = { wantedUntil };
    this.underWay.set(place, wish);
    let written: number;
    do {
      written = wish.wantedUntil;
      const forMs = Math.ceil(wish.wantedUntil - dbClock.nowMs());
      const change = { kind: "open", reason: "RETRY_AFTER", subject, forMs } as const;
      const done = await health.attempt(
        OPERATION,
        () => store.changeBreaker(change),
        () => this.underWay.has(place),
      );
      if (!done.ok) break;
      open.learn(subject, done.value.breaker);
      if (done.value.changed) announce();
    } while (wish.wantedUntil > written + SLACK_MS);
    this.underWay.delete(place);
  }

  private knownEnd(subject: BreakerSubject): number {
    return this.parts.open.of(subject)?.until ?? -Infinity;
  }
}
