import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { AsTable } from "../charts/as-table.js";
import type { Forecast } from "../api/figures.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { clockText } from "../time/zone.js";
import { Skeleton } from "../ui/skeleton.js";
import { arcPath, endDeg, fullestOf, heatOf, horizonDeg, pointAt, ringPath, spokePath } from "./wheel.js";
import { seconds, tickDeg, wheelOf, type Wheel as WheelOf } from "./wheel.js";
import { overdueText, perSecondText, wheelLabel, wheelSentence } from "./wheel-words.js";

interface WheelPanelProps {
  forecast: Forecast | null;
  hour: Forecast | null;
  day: Forecast | null;
  /** The figures are of then, in milliseconds of the epoch; null: they are current. */
  staleSince: number | null;
}

/** The next minute: whether it is possible. */
export function WheelPanel({ forecast, hour, day, staleSince }: WheelPanelProps) {
  return (
    <section class={staleSince === null ? "panel wheel-now" : "panel wheel-now is-stale"} aria-label="Wheel">
      <h2>The next 60 seconds {staleSince !== null && <span class="muted">as of {clockText(staleSince)}</span>}</h2>
      {forecast ? <Minute forecast={forecast} hour={hour} day={day} /> : <Skeleton lines={6} />}
    </section>
  );
}

type MinuteProps = Pick<WheelPanelProps, "hour" | "day"> & { forecast: Forecast };

function Minute({ forecast, hour, day }: MinuteProps) {
  const wheel = wheelOf(forecast);
  const { capacity, nextDueAt, over } = forecast;
  return (
    <>
      <Wheel wheel={wheel} forecast={forecast} hour={hour} day={day} />
      <p class={over ? "ink is-overdue" : undefined}>
        {wheelSentence(wheel, forecast)}
        {wheel.due === 0 && nextDueAt && (
          <>
            {" "}
            Next due <Instant at={nextDueAt} />.
          </>
        )}
      </p>
      <div class="legend">
        <Key colour="is-load" text="in memory" />
        <Key colour="is-far" text="in Postgres" />
        <Key colour="is-over" text="over capacity" />
        {capacity.perSecond !== null && (
          <span>
            <i class="key dash" />
            capacity {perSecondText(capacity)}
            {wheel.capacityRadius === null && ", farther out"}
          </span>
        )}
        {hour && <span>inner rings: 60 min, 24 h</span>}
      </div>
      <AsTable
        of="the fullest seconds ahead"
        columns={[
          { head: "In", at: "a", cell: ({ inS }) => `${inS} s` },
          { head: "Due", at: "b", isNumber: true, cell: ({ due }) => formatCount(due) },
          { head: "Of capacity", at: "c", isNumber: true, cell: ({ due }) => shareText(due, capacity.perSecond) },
        ]}
        rows={() => fullestOf(forecast.buckets, 10)}
      />
    </>
  );
}

function Key({ colour, text }: { colour: string; text: string }) {
  return (
    <span>
      <i class={`key sq ${colour}`} />
      {text}
    </span>
  );
}

function shareText(due: number, perSecond: number | null): string {
  return perSecond ? `${formatCount(Math.round((due / perSecond) * 100))} %` : "–";
}

function Wheel({ wheel, forecast, hour, day }: MinuteProps & { wheel: WheelOf }) {
  return (
    <svg class="wheel" viewBox="-148 -144 296 282" role="img" aria-label={wheelLabel(wheel, forecast)}>
      <path class="pg" d={arcPath(67, horizonDeg, endDeg)} />
      <path class="mem" d={arcPath(67, 0, horizonDeg)} />
      {wheel.capacityRadius !== null && <path class="cap" d={arcPath(round(wheel.capacityRadius), 0, endDeg)} />}
      {[15, 30, 45].map((second) => (
        <Mark key={second} second={second} />
      ))}
      {hour && <Ring radius={58} width={8} heat={heatOf(hour.buckets, 60)} />}
      {day && <Ring radius={49} width={5} heat={heatOf(day.buckets, 24)} />}
      <Bars wheel={wheel} firstAt={forecast.buckets[0]?.at ?? ""} />
      {forecast.overdue > 0 && <Overdue overdue={forecast.overdue} />}
      <path class="hand" d={spokePath(0, 61, 127)} />
      <text x="3" y="-130" class="mid">
        now
      </text>
      <text class="big" y={wheel.due > 0 ? 2 : 6} text-anchor="middle">
        {formatCount(wheel.due)}
      </text>
      <text y={wheel.due > 0 ? 17 : 21} text-anchor="middle">
        due in 60 s
      </text>
      {wheel.due > 0 && (
        <text y="29" text-anchor="middle">
          {formatCount(wheel.dueInMemory)} in memory
        </text>
      )}
    </svg>
  );
}

function Mark({ second }: { second: number }) {
  const deg = (second / seconds) * endDeg;
  const [x, y] = pointAt(129, deg).split(" ").map(Number) as [number, number];
  const anchor = second === 30 ? "middle" : x > 0 ? "start" : "end";
  return (
    <>
      <path class="face" stroke-dasharray="1 2" d={spokePath(deg, 67, 124)} />
      <text x={x} y={y + (second === 30 ? 8 : 3)} text-anchor={anchor}>
        {second} s
      </text>
    </>
  );
}

function Ring({ radius, width, heat }: { radius: number; width: number; heat: readonly number[] }) {
  return (
    <g>
      {heat.map((strength, index) => (
        <path
          key={index}
          class="band"
          stroke-width={width}
          opacity={round(0.08 + 0.72 * strength)}
          d={ringPath(radius, index, heat.length)}
        />
      ))}
    </g>
  );
}

/** A count is no second: it has a fixed mark, left of the hand. */
function Overdue({ overdue }: { overdue: number }) {
  return (
    <>
      <path class="s-over" fill="none" stroke-width="9" d={arcPath(75, 345, 357)} />
      <path class="face" d={spokePath(351, 81, 122)} />
      <text class="late" x="-12" y="-128" text-anchor="end">
        {overdueText(overdue)} overdue
      </text>
    </>
  );
}

/**
 * The bars, whose paths are made once and written anew with each answer. A second on, they first turn one step, then
 * take the new figures; with reduced motion they just change.
 */
function Bars({ wheel, firstAt }: { wheel: WheelOf; firstAt: string }) {
  const group = useRef<SVGGElement>(null);
  const drawn = useRef({ firstAt: "", wheel });
  useLayoutEffect(() => draw(group.current!, wheel), []);
  useEffect(() => {
    const before = drawn.current;
    drawn.current = { firstAt, wheel };
    const stepMs = Date.parse(firstAt) - Date.parse(before.firstAt);
    const mayTurn = stepMs > 0 && stepMs <= 2_000 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!mayTurn) return draw(group.current!, wheel);
    return turn(group.current!, Math.round(stepMs / 1000), wheel);
  }, [wheel.bars, firstAt]);
  return (
    <g ref={group}>
      {Array.from({ length: seconds }, (_, second) => (
        <path key={second} stroke-width="4" />
      ))}
      <path class="s-over" stroke-width="4" />
    </g>
  );
}

/** As long as `--tick`. */
const turnMs = 240;

/** The returned function ends the turn at once. */
function turn(group: SVGGElement, steps: number, next: WheelOf): () => void {
  group.classList.add("turn");
  group.style.transform = `rotate(${-tickDeg * steps}deg)`;
  const finish = (): void => {
    clearTimeout(timer);
    group.classList.remove("turn");
    group.style.transform = "";
    draw(group, next);
  };
  const timer = setTimeout(finish, turnMs);
  return finish;
}

function draw(group: SVGGElement, { bars, over }: WheelOf): void {
  bars.forEach(({ path, isInMemory }, second) => {
    const bar = group.children[second]!;
    write(bar, "d", path);
    write(bar, "class", isInMemory ? "s-load" : "s-far");
  });
  write(group.children[seconds]!, "d", over);
}

function write(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
