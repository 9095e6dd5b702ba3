import type { ClusterWheel, Forecast } from "../api/wire.js";
import { storeAway } from "../session/store-health.js";
import type { Feed } from "../feeds/feed.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { clockText } from "../time/zone.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { WheelFace, WheelKey } from "../wheel/wheel-face.js";
import { overdueText, perSecondText, shareText, wheelSentence } from "../wheel/wheel-words.js";
import { horizonS } from "../wheel/wheel.js";
import { shownWheel, type ShownWheel } from "./cluster-wheel.js";

interface ClusterWheelPanelProps {
  wheel: Feed<ClusterWheel>;
  hour: Forecast | null;
  day: Forecast | null;
  /** The label of the chosen node, and its name. */
  node: string | undefined;
  name: string | undefined;
}

/** The wheel of all nodes, or the share of one: what is due each second, and where it is. */
export function ClusterWheelPanel({
  wheel: { value, problem, readAt },
  hour,
  day,
  node,
  name,
}: ClusterWheelPanelProps) {
  const isOld = problem !== null || storeAway.value !== null;
  const note = isOld && readAt !== null ? `As of ${clockText(readAt)}` : "One turn is 60 seconds, of all namespaces";
  return (
    <Panel title={node === undefined ? "The wheel" : `The share of ${name ?? node}`} note={note}>
      {value ? (
        <Shown wheel={value} hour={hour} day={day} node={node} />
      ) : (
        <div class="body">{problem ? <ProblemView problem={problem} /> : <Skeleton lines={6} />}</div>
      )}
    </Panel>
  );
}

type ShownProps = Omit<ClusterWheelPanelProps, "wheel" | "name"> & { wheel: ClusterWheel };

function Shown({ wheel, hour, day, node }: ShownProps) {
  const shown = shownWheel(wheel, node);
  const { all, share, facts, firstAt } = shown;
  const limit = perSecondText(wheel.capacity);
  return (
    <div class="body cluster-wheel">
      <div>
        <WheelFace wheel={all} share={share} facts={facts} firstAt={firstAt} hour={hour} day={day} />
      </div>
      <div>
        {node !== undefined && share === null && (
          <p class="muted">This node is not in the view that shares are counted for; the wheel is that of all.</p>
        )}
        {share === null && <p class={facts.over ? "ink is-overdue" : undefined}>{wheelSentence(all, facts)}</p>}
        <WheelFigures shown={shown} />
        <h3>Fullest seconds ahead{share && ", of all nodes"}</h3>
        <DataTable
          caption="Fullest seconds ahead"
          columns={columnsOf(wheel)}
          rows={wheel.fullest.slice(0, 5)}
          rowKey={({ inS }) => inS}
        />
        <div class="legend">
          <WheelKey colour="is-load" text={`due within ${horizonS} s: in memory`} />
          <WheelKey colour="is-far" text="later: rows in Postgres" />
          <WheelKey colour="is-over" text="over capacity" />
          {limit && (
            <span>
              <i class="key dash" />
              capacity {limit}
            </span>
          )}
          {hour && <span>inner rings: 60 min, 24 h of this key's namespace</span>}
        </div>
        <Remarks wheel={wheel} />
      </div>
    </div>
  );
}

function WheelFigures({ shown: { share, all, inMemory, nextDueAt, facts } }: { shown: ShownWheel }) {
  return (
    <dl class="facts">
      <dt>Due in 60 s</dt>
      <dd>
        {formatCount((share ?? all).due)}
        {share && <span class="muted"> of {formatCount(all.due)}</span>}
      </dd>
      <dt>In memory</dt>
      <dd>
        {formatCount(inMemory)} <span class="muted">entries, as the last beat told</span>
      </dd>
      <dt>Overdue</dt>
      <dd class={facts.overdue > 0 ? "ink is-overdue" : undefined}>{overdueText(facts)}</dd>
      <dt>Next due</dt>
      <dd>{nextDueAt ? <Instant at={nextDueAt} /> : "none within 60 s"}</dd>
    </dl>
  );
}

function columnsOf({ capacity: { perSecond } }: ClusterWheel): Column<ClusterWheel["fullest"][number]>[] {
  return [
    { head: "In", at: "a", cell: ({ inS }) => <span class="nowrap">{inS} s</span> },
    { head: "Due", at: "b", isNumber: true, cell: ({ due }) => formatCount(due) },
    { head: "Of capacity", isNumber: true, isLow: true, cell: ({ due }) => shareText(due, perSecond) },
    {
      head: "Types",
      at: "c",
      isWide: true,
      cell: ({ types }) => types.map(({ type, due }) => `${type} ${formatCount(due)}`).join(", "),
    },
  ];
}

function Remarks({ wheel: { incomplete, nobody, otherNodes } }: { wheel: ClusterWheel }) {
  const lost = nobody.seconds.reduce((sum, due) => sum + due, 0) + nobody.overdue;
  return (
    <>
      {lost > 0 && (
        <p class="small ink is-overdue">
          {formatNumberOf(lost, "task")} of these belong to no node: none runs their type.
        </p>
      )}
      {incomplete && <p class="small muted">There is more than was counted: these figures are the least there is.</p>}
      {otherNodes > 0 && (
        <p class="small muted">{formatNumberOf(otherNodes, "more node")} have a share not told here.</p>
      )}
    </>
  );
}
