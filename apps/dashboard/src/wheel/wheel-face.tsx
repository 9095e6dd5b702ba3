import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Forecast } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { arcPath, endDeg, heatOf, horizonDeg, pointAt, ringPath, spokePath } from "./wheel.js";
import { seconds, tickDeg, type Wheel } from "./wheel.js";
import { overdueText, wheelLabel, type WheelFacts } from "./wheel-words.js";

/** What a colour of the wheel says. */
export function WheelKey({ colour, text }: { colour: string; text: string }) {
  return (
    <span>
      <i class={`key sq ${colour}`} />
      {text}
    </span>
  );
}

interface WheelFaceProps {
  /** What is due. */
  wheel: Wheel;
  /** What stands out of it: a part, drawn to the scale of the whole; null or absent: all. */
  share?: Wheel | null;
  facts: WheelFacts;
  /** When the first second begins, ISO 8601. */
  firstAt: string;
  hour: Pick<Forecast, "buckets"> | null;
  day: Pick<Forecast, "buckets"> | null;
}

/** The wheel itself: one bar a second, what is overdue, and the inner rings. */
export function WheelFace({ wheel, share = null, facts, firstAt, hour, day }: WheelFaceProps) {
  const told = share ?? wheel;
  return (
    <svg class="wheel" viewBox="-148 -144 296 282" role="img" aria-label={wheelLabel(told, facts)}>
      <path class="pg" d={arcPath(67, horizonDeg, endDeg)} />
      <path class="mem" d={arcPath(67, 0, horizonDeg)} />
      {wheel.capacityRadius !== null && <path class="cap" d={arcPath(round(wheel.capacityRadius), 0, endDeg)} />}
      {[15, 30, 45].map((second) => (
        <Mark key={second} second={second} />
      ))}
      {hour && <Ring radius={58} width={8} heat={heatOf(hour.buckets, 60)} />}
      {day && <Ring radius={49} width={5} heat={heatOf(day.buckets, 24)} />}
      <g class={share ? "dim" : undefined}>
        <Bars wheel={wheel} firstAt={firstAt} />
      </g>
      {share && <Bars wheel={share} firstAt={firstAt} />}
      {facts.overdue > 0 && <Overdue facts={facts} />}
      <path class="hand" d={spokePath(0, 61, 127)} />
      <text x="3" y="-130" class="mid">
        now
      </text>
      <text class="big" y={told.due > 0 ? 2 : 6} text-anchor="middle">
        {formatCount(told.due)}
      </text>
      <text y={told.due > 0 ? 17 : 21} text-anchor="middle">
        due in 60 s
      </text>
      {told.due > 0 && (
        <text y="29" text-anchor="middle">
          {formatCount(told.dueInMemory)} in memory
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
function Overdue({ facts }: { facts: WheelFacts }) {
  return (
    <>
      <path class="s-over" fill="none" stroke-width="9" d={arcPath(75, 345, 357)} />
      <path class="face" d={spokePath(351, 81, 122)} />
      <text class="late" x="-12" y="-128" text-anchor="end">
        {overdueText(facts)} overdue
      </text>
    </>
  );
}

/**
 * The bars, whose paths are made once and written anew with each answer. A second on, they first turn one step, then
 * take the new figures; with reduced motion they just change.
 */
function Bars({ wheel, firstAt }: { wheel: Wheel; firstAt: string }) {
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
function turn(group: SVGGElement, steps: number, next: Wheel): () => void {
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

function draw(group: SVGGElement, { bars, over }: Wheel): void {
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
