import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import type { ListPage } from "../api/asked.js";
import { waitAskedFor, type Feed } from "./feed.js";
import { emptyList, listAfter, type HeldList, type Identified } from "./held-list.js";
import { usePolling } from "./use-polling.js";

interface Asked<Filter> {
  readonly filter: Filter;
  /** The cursors of the pages up to this one; none on the first. */
  readonly trail: readonly string[];
}

interface HeldListOptions<Row, Filter> {
  readonly everyMs: number;
  /** Another begins a list anew. */
  readonly filter: Filter;
  readonly read: (filter: Filter, cursor: string | undefined) => Promise<Answer<ListPage<Row>>>;
  /** How long to wait for the next look at such a list, where that is not `everyMs`. */
  readonly waitMs?: (list: HeldList<Row>) => number | undefined;
  /** The page's source is another: the header does not tell of this list's polls. */
  readonly isBeside?: boolean;
  /** What else the page reads in each poll. */
  readonly alongside?: () => Promise<readonly Feed<unknown>[]>;
}

/** A list that is read again and again, page by page; see {@link listAfter}. `read` is that of the first render. */
export function useHeldList<Row extends Identified, Filter>(options: HeldListOptions<Row, Filter>) {
  const { filter, everyMs, read, alongside = () => Promise.resolve([]), waitMs, isBeside = false } = options;
  const list = useSignal<HeldList<Row>>(emptyList);
  const asked = useSignal<Asked<Filter>>({ filter, trail: [] });
  const poll = async (): Promise<number | undefined> => {
    const question = asked.value;
    const [answer, feeds] = await Promise.all([read(question.filter, question.trail.at(-1)), alongside()]);
    // Another page was asked for meanwhile: the poll behind this one asks for it.
    if (question !== asked.value) return undefined;
    list.value = listAfter(list.value, answer, Date.now());
    const waitAsked = waitAskedFor(...feeds, { value: null, readAt: null, problem: list.value.problem });
    return waitAsked ?? waitMs?.(list.value);
  };
  const readAgain = usePolling(everyMs, poll, { isBeside });
  const ask = (next: Asked<Filter>, shown: HeldList<Row>): void => {
    asked.value = next;
    list.value = shown;
    readAgain();
  };
  const filterText = JSON.stringify(filter);
  useEffect(() => {
    if (JSON.stringify(asked.value.filter) !== filterText) ask({ filter, trail: [] }, emptyList);
  }, [filterText]);
  /** Goes to the page of this trail; the rows stay until it has come. */
  const open = (trail: readonly string[]): void => {
    // The page asked for before is still to come, and only it knows where the next begins.
    if (list.value.isLoose) return;
    ask({ ...asked.value, trail }, { ...list.value, isLoose: true });
  };
  return { list: list.value, trail: asked.value.trail, open, readAgain };
}
