import type { ApiKey } from "@tickwheel/core";
import type { TopicCell } from "./topic-cell.js";

/** The limit of unread bytes: a viewer who reaches it is sent nothing until there are fewer. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Where the events of one viewer go. */
export interface EventSink {
  /** What was written and has not left this process. */
  readonly unreadBytes: number;
  write(event: Buffer): void;
  /** Ends the answer behind a last event. */
  end(event: Buffer): void;
  /** Ends the connection at once: nothing of it is read. */
  cut(): void;
}

/** Who looks at a stream. */
export interface ViewerOptions {
  apiKey: ApiKey;
  topics: readonly string[];
  /** The same key as it is now, itself or by its session; null: it is over. @throws where nobody knows */
  findKey(): Promise<ApiKey | null>;
}

/**
 * One who looks at a stream. Events that he does not read are not kept for him: he gets the newest of each topic when
 * he reads again. So he costs at most {@link MOST_UNREAD_BYTES} and one event, and events are the same bytes for all.
 */
export class Viewer {
  private readonly sent = new Map<TopicCell, Buffer>();
  isOver = false;
  isChecking = false;
  roundsUnchecked = 0;
  /** When it was last seen that his key works. */
  liveMonoMs = 0;

  constructor(
    readonly options: ViewerOptions,
    private readonly sink: EventSink,
  ) {}

  /** An event that the next one makes worthless. */
  tell(event: Buffer): void {
    if (!this.isOver && this.sink.unreadBytes <= MOST_UNREAD_BYTES) this.sink.write(event);
  }

  /** What a topic says now, unless that was the last that he was sent of it. */
  show(cell: TopicCell): void {
    const { event } = cell;
    const sent = this.sent.get(cell);
    if (this.isOver || event === null || this.sink.unreadBytes > MOST_UNREAD_BYTES) return;
    if (sent === event || sent?.equals(event)) return;
    this.sent.set(cell, event);
    this.sink.write(event);
  }

  /** He, or his connection, is gone; or he is told that it is over. */
  end(event: Buffer | null): void {
    if (this.isOver) return;
    this.isOver = true;
    if (event === null) return;
    if (this.sink.unreadBytes > MOST_UNREAD_BYTES) this.sink.cut();
    else this.sink.end(event);
  }
}
