import { formatClock } from "../format.js";

/** Says quietly that what is shown is old, since when and why. */
export function StaleBanner({ text, readAt }: { text: string; readAt: number | null }) {
  return (
    <p class="stale" role="status">
      {text} {readAt !== null && <>Shown: figures of {formatClock(readAt, Date.now())}. </>}
      <span class="retrying">Retrying…</span>
    </p>
  );
}
