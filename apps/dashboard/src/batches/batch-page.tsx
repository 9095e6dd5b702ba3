import type { Batch, TaskState } from "../api/wire.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Feed } from "../feeds/feed.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { Instant } from "../time/instant.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { BatchButtons } from "./batch-buttons.js";
import { BatchFacts } from "./batch-panels.js";
import { BatchStanding } from "./batch-standing.js";
import { BatchMark, BatchSummary } from "./batch-summary.js";
import { batchMark, batchName } from "./batch-words.js";
import { MembersPanel } from "./members-panel.js";
import { Shards } from "./shards.js";
import { useBatch } from "./use-batch.js";

interface BatchPageProps {
  api: TickwheelApi;
  id: string;
  /** Members in this state alone. */
  state: TaskState | undefined;
}

/** One batch: what it waits for, how far it is, what happens at its end, and its members. */
export function BatchPage({ api, id, state }: BatchPageProps) {
  const { batch, shards, members } = useBatch(api, id, state);
  const { list, trail, open, readAgain } = members;
  const { value, problem, readAt } = batch;
  if (!value) return <MissingBatch batch={batch} />;
  return (
    <>
      <PageHead
        name={batchName(value)}
        tab={`${batchMark(value).text} ${batchName(value)}`}
        sub={<Sub batch={value} />}
        actions={mayAs("operator") && <BatchButtons api={api} batch={value} onDone={readAgain} />}
      />
      {problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <BatchStanding batch={value} />
      <Panel title="Progress">
        <div class="body">
          <BatchSummary batch={value} />
          {value.shards !== null && <Shards shards={shards} count={value.shards} />}
        </div>
      </Panel>
      <BatchFacts batch={value} />
      <MembersPanel batch={value} state={state} list={list} trail={trail} open={open} />
    </>
  );
}

function Sub({ batch }: { batch: Batch }) {
  const { shards, sealedAt, createdAt } = batch;
  return (
    <p>
      <BatchMark batch={batch} fill /> {shards !== null && `Sharded in ${shards}. `}
      {sealedAt === null ? (
        <>
          Made <Instant at={createdAt} />.
        </>
      ) : (
        <>
          Sealed <Instant at={sealedAt} />.
        </>
      )}
    </p>
  );
}

/** It is being read, or is not there. */
function MissingBatch({ batch: { problem } }: { batch: Feed<Batch> }) {
  if (problem?.status !== 404) {
    return (
      <>
        <PageHead name="Batch" />
        {problem ? <ProblemView problem={problem} /> : <Skeleton />}
      </>
    );
  }
  return (
    <>
      <PageHead name="No such batch" />
      <section class="panel">
        <Empty
          icon="search"
          title={sentenceOf(problem)}
          actions={
            <a class="btn tiny" href={fragmentOf({ page: "batches", filter: {} })}>
              Show all batches
            </a>
          }
        >
          Batches that have ended are kept for a while, then they are deleted.
        </Empty>
      </section>
    </>
  );
}
