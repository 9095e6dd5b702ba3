import type { TypeId, TypeInFlight } from "@tickwheel/core";

/** This many types have a counter of their own; the others share the last one. */
const PLACES = 256;
const NAME_BYTES = 64;
const ID_CHARACTERS = 36;
const OTHERS = PLACES;
const COUNTS_BYTES = 4 * (PLACES + 1);
const NAMES_AT = COUNTS_BYTES;
const ID_AT = NAMES_AT + NAME_BYTES * PLACES;
/** At most this many types are in one reading. */
const TOLD_TYPES = 10;

/** What runs in a loop. */
export interface RunningReading {
  running: TypeInFlight[];
  lastStarted: string | null;
}

/**
 * Which handlers run in the main loop: how many of each type, and the task whose handler was called last. It lies in
 * memory that the heartbeat's thread reads when that loop does not answer any more. It is written before the handler is
 * called, so it also names a handler that blocks the loop at once.
 *
 * Cost: a few memory writes per start, no allocation. 256 types have a counter of their own; the others are counted
 * together.
 */
export class RunningHandlers {
  private readonly places = new Map<TypeId, number>();
  private readonly counts: Int32Array;
  private readonly bytes: Uint8Array;
  private readonly idBytes: Uint8Array;
  private readonly encoder = new TextEncoder();

  /** @param memory shared with another thread; default: made anew */
  constructor(readonly memory = new SharedArrayBuffer(ID_AT + ID_CHARACTERS)) {
    this.counts = new Int32Array(memory, 0, PLACES + 1);
    this.bytes = new Uint8Array(memory);
    this.idBytes = this.bytes.subarray(ID_AT);
  }

  /** A handler is about to be called. */
  started({ id, typeId }: { id: string; typeId: TypeId }, type: string): void {
    Atomics.add(this.counts, this.places.get(typeId) ?? this.place(typeId, type), 1);
    this.encoder.encodeInto(id, this.idBytes);
  }

  /** It has returned. */
  ended({ typeId }: { typeId: TypeId }): void {
    Atomics.sub(this.counts, this.places.get(typeId) ?? OTHERS, 1);
  }

  read(): RunningReading {
    const running: TypeInFlight[] = [];
    for (let place = 0; place <= PLACES; place++) {
      const count = Atomics.load(this.counts, place);
      if (count > 0) running.push({ type: place === OTHERS ? "others" : this.nameAt(place), count });
    }
    running.sort((one, other) => other.count - one.count);
    const id = textOf(this.idBytes);
    return { running: running.slice(0, TOLD_TYPES), lastStarted: id === "" ? null : id };
  }

  private place(typeId: TypeId, type: string): number {
    const place = Math.min(this.places.size, OTHERS);
    if (place === OTHERS) return OTHERS;
    this.places.set(typeId, place);
    for (let at = 0; at < Math.min(type.length, NAME_BYTES); at++)
      this.bytes[NAMES_AT + NAME_BYTES * place + at] = type.charCodeAt(at);
    return place;
  }

  private nameAt(place: number): string {
    const from = NAMES_AT + NAME_BYTES * place;
    return textOf(this.bytes.subarray(from, from + NAME_BYTES));
  }
}

/** Up to the first zero. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...(end < 0 ? bytes : bytes.subarray(0, end)));
}

/** For people: `resize × 3, mail`. */
export function inWords(running: readonly TypeInFlight[]): string {
  return running.map(({ type, count }) => (count === 1 ? type : `${type} × ${count}`)).join(", ") || "no handler";
}
