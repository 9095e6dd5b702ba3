import { formatDistance } from "./format.js";
import { nowFor } from "./ticking.js";
import { clockText, instantText } from "./zone.js";

interface InstantProps {
  /** ISO 8601; null shows a dash. */
  at: string | null | undefined;
  /** `clock`: to the second. `full`: date and milliseconds. `distance`: only how far it is. Default `clock`. */
  as?: "clock" | "full" | "distance";
  /** Without how far it is from now. */
  isAlone?: boolean;
}

/** An instant in the chosen zone and how far it is from now; the title holds it as the API sent it. */
export function Instant({ at, as = "clock", isAlone = false }: InstantProps) {
  if (!at) return <>–</>;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <>{at}</>;
  return (
    <time datetime={at} title={at}>
      {as === "full" && instantText(instant)}
      {as === "clock" && clockText(instant)}
      {as !== "distance" && !isAlone && ", "}
      {!isAlone && (
        <span class={as === "distance" ? undefined : "muted"}>{formatDistance(instant, nowFor(instant))}</span>
      )}
    </time>
  );
}
