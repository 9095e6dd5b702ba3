import type { ClusterEvent } from "../api/wire.js";
import { formatCount, formatInstant, formatNumberOf } from "../time/format.js";
import { zone } from "../time/zone.js";
import type { Lane, Mark, TimeLine } from "./time-line.js";

const width = 1_020;
const left = 128;
const right = 14;
const top = 26;
const laneHeight = 30;
const ticks = 4;
/** Labels that are nearer than this would lie on each other. */
const labelRoom = 64;

interface TimeLineViewProps {
  line: TimeLine;
  focus: ClusterEvent | null;
  /** The name of the node that stands out. */
  chosen: string | undefined;
}

/** All nodes on one axis: when they were there, who led, and what happened to them. The list below tells the same. */
export function TimeLineView({ line, focus, chosen }: TimeLineViewProps) {
  const { lanes, hiddenLanes, from, until } = line;
  const bottom = top + lanes.length * laneHeight;
  const xOf = (at: number): number => {
    const share = (Math.min(until, Math.max(from, at)) - from) / Math.max(1, until - from);
    return Math.round((left + share * (width - left - right)) * 10) / 10;
  };
  return (
    <div class="body side-scroll" role="region" aria-label="Time line of the nodes" tabIndex={0}>
      <svg class="chart time-line" viewBox={`0 0 ${width} ${bottom + 20}`} role="img" aria-label={labelOf(line)}>
        <Axis from={from} until={until} bottom={bottom} xOf={xOf} />
        {focus && <path class="focus" d={`M${xOf(Date.parse(focus.at))} ${top - 6}V${bottom}`} />}
        {lanes.map((lane, index) => (
          <g key={lane.name} class={chosen !== undefined && lane.name !== chosen ? "dim" : undefined}>
            <LaneView lane={lane} xOf={xOf} y={top + index * laneHeight + laneHeight / 2} />
          </g>
        ))}
        <Terms line={line} xOf={xOf} bottom={bottom} />
      </svg>
      {hiddenLanes > 0 && <p class="small muted">{formatNumberOf(hiddenLanes, "more node")} in the list alone.</p>}
    </div>
  );
}

function Axis({
  from,
  until,
  bottom,
  xOf,
}: {
  from: number;
  until: number;
  bottom: number;
  xOf: (at: number) => number;
}) {
  const instants = Array.from({ length: ticks + 1 }, (_, index) => from + ((until - from) * index) / ticks);
  return (
    <>
      {instants.map((at, index) => (
        <g key={index}>
          <path class="grid" d={`M${xOf(at)} ${top}V${bottom}`} />
          <text x={xOf(at)} y={bottom + 16} text-anchor={index === 0 ? "start" : index === ticks ? "end" : "middle"}>
            {index === ticks ? "now" : tickText(at, until - from)}
          </text>
        </g>
      ))}
    </>
  );
}

/** `09:15`, or with its date where the axis is longer than a day. */
function tickText(at: number, lengthMs: number): string {
  const text = formatInstant(at, zone.value);
  return lengthMs > 86_400_000 ? text.slice(5, 16) : text.slice(11, lengthMs < 300_000 ? 19 : 16);
}

function LaneView({ lane, y, xOf }: { lane: Lane; y: number; xOf: (at: number) => number }) {
  const { name } = lane;
  return (
    <>
      <text class="t" x="0" y={y + 4}>
        {name.length > 20 ? `${name.slice(0, 19)}…` : name}
      </text>
      <path class="grid" d={`M${left} ${y}H${width - right}`} />
      {lane.spans.map(({ from, until, state }) => (
        <rect
          key={`${from} ${state}`}
          class={`is-${state}`}
          x={xOf(from)}
          y={y - 5}
          height="10"
          rx="3"
          width={Math.max(2, xOf(until) - xOf(from))}
        />
      ))}
      {lane.leads.map(({ from, until }) => (
        <rect
          key={from}
          class="leads"
          x={xOf(from)}
          y={y - 8}
          height="3"
          rx="1.5"
          width={Math.max(2, xOf(until) - xOf(from))}
        />
      ))}
      {lane.marks.map((mark) => (
        <MarkView key={mark.id} mark={mark} x={xOf(mark.at)} y={y} />
      ))}
    </>
  );
}

/** Each has a shape of its own: the hue alone says nothing. */
const shapes: Partial<Record<Mark["kind"], { readonly state: string; readonly d: string }>> = {
  JOINED: { state: "live", d: "M-4 0H4M0 -4V4" },
  SUSPECT: { state: "suspect", d: "M0 -6L5 4H-5Z" },
  RECOVERED: { state: "live", d: "M-4 0L-1 3L5 -4" },
  DEAD: { state: "dead", d: "M-4 -4L4 4M4 -4L-4 4" },
  TAKEOVER: { state: "takeover", d: "M0 -6V5M-4 1L0 5L4 1" },
  DRAINING: { state: "draining", d: "M-4 -3L0 3L4 -3" },
  LEFT: { state: "draining", d: "M-4 0H4" },
};

function MarkView({ mark: { kind }, x, y }: { mark: Mark; x: number; y: number }) {
  const shape = shapes[kind];
  if (!shape) return null;
  return (
    <g class={`mark is-${shape.state}`} transform={`translate(${x} ${y})`} data-kind={kind}>
      <circle r="7" />
      <path d={shape.d} />
    </g>
  );
}

function Terms({ line: { terms }, xOf, bottom }: { line: TimeLine; xOf: (at: number) => number; bottom: number }) {
  let lastX = Number.POSITIVE_INFINITY;
  // The newest of those that lie together has the label.
  const shown = [...terms].reverse().map(({ at, term }) => {
    const x = xOf(at);
    const hasRoom = lastX - x >= labelRoom;
    if (hasRoom) lastX = x;
    return { x, term, hasRoom };
  });
  return (
    <>
      {shown.map(({ x, term, hasRoom }) => (
        <g key={term}>
          <path class="term" d={`M${x} 16V${bottom}`} />
          {hasRoom && (
            <text x={x} y="12" text-anchor={x > width - labelRoom ? "end" : "middle"}>
              term {formatCount(term)}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

function labelOf({ lanes, hiddenLanes, terms }: TimeLine): string {
  const of = (kind: Mark["kind"]): number =>
    lanes.reduce((sum, { marks }) => sum + marks.filter((mark) => mark.kind === kind).length, 0);
  return [
    `${formatNumberOf(lanes.length + hiddenLanes, "node")}.`,
    `${formatNumberOf(of("JOINED"), "join")}, ${formatNumberOf(of("DEAD"), "death")},`,
    `${formatNumberOf(of("TAKEOVER"), "takeover")}, ${formatNumberOf(terms.length, "new leader")}.`,
    "The list below tells each.",
  ].join(" ");
}
