import { isFrozen } from "../feeds/attention.js";
import { liveMode } from "../feeds/live-mode.js";
import { formatDuration } from "../time/format.js";
import { nowFor } from "../time/ticking.js";

/**
 * Says how fresh the page is kept; a press freezes it as it is, another goes on. Nothing where a page keeps nothing.
 */
export function LiveButton() {
  const mode = liveMode.value;
  if (mode === null) return null;
  return (
    <button
      type="button"
      class={classOf(mode)}
      aria-pressed={isFrozen.value}
      title={titleOf(mode)}
      onClick={() => (isFrozen.value = !isFrozen.value)}
    >
      <span class="dot" />
      {textOf(mode)}
    </button>
  );
}

/** A page that is read every few seconds is as it should be; one whose stream is lost is not. */
function classOf(mode: NonNullable<typeof liveMode.value>): string {
  const isAsItShould = mode.kind === "live" || (mode.kind === "polling" && !mode.isFallback);
  return isAsItShould ? "live" : `live is-${mode.kind}`;
}

function titleOf(mode: NonNullable<typeof liveMode.value>): string {
  if (isFrozen.value) return "Go on (space)";
  const isLost = mode.kind === "polling" && mode.isFallback;
  return `${isLost ? "The stream does not answer, so the page asks. " : ""}Freeze the figures as they are (space)`;
}

function textOf(mode: NonNullable<typeof liveMode.value>): string {
  switch (mode.kind) {
    case "live":
      return "Live";
    case "connecting":
      return "Connecting";
    case "frozen":
      return "Frozen";
    case "polling":
      return `Every ${formatDuration(mode.everyMs)}`;
    case "stale":
      return `Stale, ${formatDuration(Math.max(0, Math.round((nowFor(mode.since) - mode.since) / 1000) * 1000))}`;
  }
}
