import { useSignal } from "@preact/signals";
import type { Answer } from "../api/api-client.js";
import { type DeadFilter, type DeadSince, deadSinces, type ListPage } from "../api/asked.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DeadGroupPage } from "../api/wire.js";
import { ListFoot, NewerButton } from "../feeds/list-foot.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { navCounts } from "../place/nav-counts.js";
import { goTo } from "../place/place.js";
import { storeAway } from "../session/store-health.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";
import { formatCount } from "../time/format.js";
import { DeadFilterBar } from "./dead-filter-bar.js";
import { type DeadRow, DeadTable } from "./dead-table.js";
import { deadSentence } from "./dead-words.js";

const pollMs = 5_000;
const sinceTexts: Readonly<Record<DeadSince | "all", string>> = { "24h": "24 h", "7d": "7 d", all: "All kept" };
const sinceMs: Readonly<Record<DeadSince, number>> = { "24h": 86_400_000, "7d": 604_800_000 };

/** Dead tasks by cause, those with the most tasks first. */
export function DeadPage({ api, filter }: { api: TickwheelApi; filter: DeadFilter }) {
  const counts = useSignal<Pick<DeadGroupPage, "tasks" | "causes"> | null>(null);
  const { list, trail, open } = useHeldList<DeadRow, DeadFilter>({
    everyMs: pollMs,
    filter,
    read: async (asked, cursor) => {
      const answer = await api.deadLetters.list(asked, { since: sinceOf(asked), cursor });
      if (answer.ok) counts.value = answer.value;
      if (answer.ok && Object.keys(asked).length === 0) showDead(answer.value.tasks);
      return rowsOf(answer);
    },
  });
  const isFiltered = Object.keys(filter).length > 0;
  const go = (next: DeadFilter): void => goTo({ page: "dead", filter: next }, "replace");
  return (
    <>
      <PageHead
        name="Dead letters"
        sub={counts.value && <p role="status">{deadSentence(counts.value)}</p>}
        actions={
          <Seg<DeadSince | "all">
            label="Since"
            value={filter.since ?? "all"}
            choices={([...deadSinces, "all"] as const).map((value) => ({ value, text: sinceTexts[value] }))}
            onChange={(since) => {
              const { since: _since, ...rest } = filter;
              go(since === "all" ? rest : { ...rest, since });
            }}
          />
        }
      />
      <DeadFilterBar filter={filter} onChange={go} />
      {list.rows && list.problem && storeAway.value === null && (
        <StaleBanner text={sentenceOf(list.problem)} readAt={list.readAt} />
      )}
      <Panel
        title="Causes"
        note="By type and error; numbers, ids and what is quoted are left out of the comparison"
        more={<NewerButton list={list} trail={trail} onOpen={open} />}
      >
        {!list.rows && (list.problem ? <ProblemView problem={list.problem} /> : <Skeleton lines={6} />)}
        {list.rows?.length === 0 && <NoGroup isFiltered={isFiltered} />}
        {list.rows && list.rows.length > 0 && <DeadTable api={api} rows={list.rows} />}
        <ListFoot list={list} trail={trail} onOpen={open} />
      </Panel>
    </>
  );
}

function sinceOf({ since }: DeadFilter): string | undefined {
  return since && new Date(Date.now() - sinceMs[since]).toISOString();
}

/** Groups as rows with names of their own. */
function rowsOf(answer: Answer<DeadGroupPage>): Answer<ListPage<DeadRow>> {
  if (!answer.ok) return answer;
  const { items, nextCursor } = answer.value;
  const rows = items.map((group) => ({ ...group, id: `${group.type}/${group.fingerprint ?? ""}` }));
  return { ...answer, value: { items: rows, nextCursor } };
}

function NoGroup({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon="search" title="No cause matches" />
  ) : (
    <Empty icon="good" title="No task is dead">
      A task is dead when its attempts are used up or its error is not retried. It stays until it is retried, discarded
      or past its retention.
    </Empty>
  );
}

/** The navigation says how many tasks are dead. */
function showDead(tasks: number): void {
  const text = formatCount(tasks);
  const dead = tasks === 0 ? undefined : { text, state: "dead", label: `${text} ${tasks === 1 ? "is" : "are"} dead` };
  navCounts.value = { ...navCounts.peek(), dead };
}
