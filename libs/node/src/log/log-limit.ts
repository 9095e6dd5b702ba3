import type { Clock, TelemetryEvent } from "@tickwheel/core";

/** Lines of one event and type that are logged within {@link LOG_WINDOW_MS}. */
export const LINES_PER_WINDOW = 10;
export const LOG_WINDOW_MS = 10_000;
/** Kinds of lines that are told apart within a window; what comes beyond them is one kind. */
export const MAX_LOG_KINDS = 1_000;

interface Kind {
  name: string;
  type: string | null;
  lines: number;
}

/**
 * Keeps a storm out of the log: of each event and task type some lines within a window, and at its end how many more
 * there were. Nothing is lost to listeners, only to the log. Bounded by the number of kinds; costs one look-up per
 * event, and a timer only where something was kept out.
 */
export class LogLimit {
  private readonly kinds = new Map<string, Kind>();
  private beganMonoMs = Number.NEGATIVE_INFINITY;
  private isTimed = false;

  constructor(
    private readonly clock: Clock,
    private readonly tell: (line: string) => void,
  ) {}

  /** Whether this event gets its line. */
  admits(event: Pick<TelemetryEvent, "name" | "facts">): boolean {
    const nowMonoMs = this.clock.monotonicMs();
    if (nowMonoMs - this.beganMonoMs >= LOG_WINDOW_MS) this.begin(nowMonoMs);
    const kind = this.kindOf(event);
    if (++kind.lines <= LINES_PER_WINDOW) return true;
    this.endInTime(nowMonoMs);
    return false;
  }

  private kindOf({ name, facts }: Pick<TelemetryEvent, "name" | "facts">): Kind {
    const type = typeof facts?.type === "string" ? facts.type : null;
    const key = `${name} ${type ?? ""}`;
    const known = this.kinds.get(key);
    if (known) return known;
    if (this.kinds.size < MAX_LOG_KINDS) return this.add(key, { name, type, lines: 0 });
    return this.kinds.get(OTHERS) ?? this.add(OTHERS, { name: "events of other kinds", type: null, lines: 0 });
  }

  private add(key: string, kind: Kind): Kind {
    this.kinds.set(key, kind);
    return kind;
  }

  private endInTime(nowMonoMs: number): void {
    if (this.isTimed) return;
    this.isTimed = true;
    const leftMs = Math.ceil(this.beganMonoMs + LOG_WINDOW_MS - nowMonoMs);
    this.clock.setTimer(leftMs, () => {
      this.isTimed = false;
      this.begin(this.clock.monotonicMs());
    });
  }

  /** Ends the window before, and tells what it kept out. */
  private begin(nowMonoMs: number): void {
    for (const { name, type, lines } of this.kinds.values()) {
      const more = lines - LINES_PER_WINDOW;
      if (more > 0) this.tell(`${more} more lines of ${name}${type === null ? "" : ` of ${type}`} were not logged`);
    }
    this.kinds.clear();
    this.beganMonoMs = nowMonoMs;
  }
}

const OTHERS = "";
