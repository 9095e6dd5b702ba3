import { formatClock, formatDistance, formatInstant } from "../format.js";

interface InstantProps {
  /** ISO 8601; null shows a dash. */
  at: string | null | undefined;
  /** `clock`: to the second. `full`: date and milliseconds. Both in local time, with the distance from now. */
  as?: "clock" | "full";
  /** What the distance counts from; null leaves it out. */
  now: number | null;
}

/** An instant in local time; the title holds it as the API sent it. */
export function Instant({ at, as = "clock", now }: InstantProps) {
  if (!at) return <>–</>;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <>{at}</>;
  return (
    <time datetime={at} title={at}>
      {as === "full" || now === null ? formatInstant(instant) : formatClock(instant, now)}{" "}
      {now !== null && <span class="distance">{formatDistance(instant, now)}</span>}
    </time>
  );
}
