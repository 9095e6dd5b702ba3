import { useSignal } from "@preact/signals";
import type { TypeDetails, TypeFigures, TypePage } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";
import { useReading } from "../feeds/use-reading.js";
import { useStream } from "../feeds/use-stream.js";

const pollMs = 5_000;

/** A type as its page shows it. */
export interface ShownType {
  /** Null: they are not read yet. */
  readonly figures: TypeFigures | null;
  /** When they were counted, in milliseconds of the epoch. */
  readonly countedAt: number | null;
  readonly details: Feed<TypeDetails>;
  /** Why the newest figures could not be read. */
  readonly problem: Feed<TypePage>["problem"];
  readonly readAt: number | null;
}

/** Its figures come with the page's stream, which has the types in need; where it is none of these, it is asked for. */
export function useType(api: TickwheelApi, type: string): ShownType {
  const { feeds } = useStream("types");
  const asked = useSignal<Feed<TypePage>>(emptyFeed);
  const details = useReading<TypeDetails>(`/types/${encodeURIComponent(type)}`);
  const streamed = feeds.types.value;
  const isStreamed = figuresIn(streamed, type) !== null;
  usePolling(pollMs, async () => {
    if (figuresIn(feeds.types.peek(), type) !== null) return undefined;
    asked.value = feedAfter(asked.value, await api.types(type), Date.now());
    return waitAskedFor(asked.value);
  });
  const feed = isStreamed ? streamed : asked.value;
  const countedAt = feed.value === null ? null : Date.parse(feed.value.countedAt);
  return { figures: figuresIn(feed, type), countedAt, details, problem: feed.problem, readAt: feed.readAt };
}

function figuresIn({ value }: Feed<TypePage>, type: string): TypeFigures | null {
  return value?.items.find((one) => one.type === type) ?? null;
}
