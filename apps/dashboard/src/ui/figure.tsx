import type { ComponentChildren } from "preact";

interface FigureProps {
  label: string;
  /** What the figure is of: a period, a limit. */
  of?: ComponentChildren;
  value: ComponentChildren;
  unit?: ComponentChildren;
  note?: ComponentChildren;
  /** A state whose hue the figure takes. */
  tone?: string | false;
  children?: ComponentChildren;
}

/** One number with its unit, its period and what goes with it; a spark or a meter below. */
export function Figure({ label, of, value, unit, note, tone, children }: FigureProps) {
  return (
    <li class="figure">
      <span class="k">
        {label} {of && <span>{of}</span>}
      </span>
      <b class={tone ? `v ink is-${tone}` : "v"}>
        {value}
        {unit && <span class="u">{unit}</span>}
      </b>
      <p class="note">{note || "\u00a0"}</p>
      {children}
    </li>
  );
}

const width = 180;
const height = 26;

/** A line from zero on, without axes; a gap in the data is a gap in the line. */
export function Spark({ values }: { values: readonly (number | null)[] }) {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const point = (value: number, index: number): string =>
    `${round((index / Math.max(1, values.length - 1)) * width)} ${round(height - (value / most) * (height - 2))}`;
  let isJoined = false;
  const steps = values.map((value, index) => {
    // One alone is a dot: a line of no length shows nothing.
    const isAlone = value !== null && !isJoined && (values[index + 1] ?? null) === null;
    const step = value === null ? "" : `${isJoined ? "L" : "M"}${point(value, index)}${isAlone ? "h-2" : ""}`;
    isJoined = value !== null;
    return step;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="l1" vector-effect="non-scaling-stroke" d={steps.join("")} />
    </svg>
  );
}

/** Bars from zero on, in the hue of a state. */
export function SparkBars({ values, fill }: { values: readonly number[]; fill: "failing" | "over" | "dead" }) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(60, values.length);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const length = round((value / most) * (height - 2));
        const x = round(width - (values.length - index) * step);
        return (
          value > 0 && (
            <rect
              key={index}
              class={`f-${fill}`}
              x={x}
              y={height - length}
              width={round(step * 0.75)}
              height={length}
            />
          )
        );
      })}
      <path class="grid" vector-effect="non-scaling-stroke" d={`M0 ${height - 0.5}H${width}`} />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
