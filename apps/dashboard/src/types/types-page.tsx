import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TypePage } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { useStream } from "../feeds/use-stream.js";
import { navCounts } from "../place/nav-counts.js";
import { storeAway } from "../session/store-health.js";
import { clockText } from "../time/zone.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { sentenceOf } from "../api/problem.js";
import { Skeleton } from "../ui/skeleton.js";
import { NamespacePanel } from "./namespace-panel.js";
import { TypesTable } from "./types-table.js";
import { needsSomebody, typesSentence } from "./type-words.js";

/** Every type with its figures, those in need first. */
export function TypesPage() {
  const { feeds } = useStream("types");
  const { value, problem, readAt } = feeds.types.value;
  const isMoreAsked = useSignal(false);
  const cursor = isMoreAsked.value ? value?.nextCursor : null;
  const more = useReading<TypePage>(cursor ? `/types?limit=200&cursor=${encodeURIComponent(cursor)}` : null);
  const rows = rowsOf(value, more.value);
  const needing = rows.filter(needsSomebody).length;
  useEffect(() => showCount(needing), [needing]);
  const hasMore = (value?.nextCursor ?? null) !== null && more.value === null;
  return (
    <>
      <PageHead name="Types" sub={value && typesSentence(rows, hasMore)} />
      {value && problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <NamespacePanel />
      <section class="panel" aria-label="Types">
        {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={8} />)}
        {value && rows.length === 0 && (
          <Empty icon="types" title="There is no type yet">
            The first task of a type makes it: its name is the task&apos;s <code>type</code>.
          </Empty>
        )}
        {rows.length > 0 && <TypesTable rows={rows} />}
        {value && rows.length > 0 && (
          <footer>
            Counted {clockText(Date.parse(value.countedAt))}. Failed: of the attempts of the last five minutes.
            {hasMore && (
              <button type="button" class="tiny" onClick={() => (isMoreAsked.value = true)}>
                Show all
              </button>
            )}
          </footer>
        )}
      </section>
    </>
  );
}

function rowsOf(first: TypePage | null, more: TypePage | null): TypePage["items"] {
  if (!first || !more) return first?.items ?? [];
  const shown = new Set(first.items.map(({ type }) => type));
  return [...first.items, ...more.items.filter(({ type }) => !shown.has(type))];
}

/** The navigation says how many types need somebody. */
function showCount(needing: number): void {
  const count =
    needing === 0 ? undefined : { text: String(needing), state: "warning", label: `${needing} that need you` };
  navCounts.value = { ...navCounts.peek(), types: count };
}
