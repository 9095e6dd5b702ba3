import type { ComponentChildren } from "preact";
import type { Pause, TypeBreaker } from "../api/wire.js";
import { Instant } from "../time/instant.js";
import { Icon } from "../ui/icon.js";
import { nodeName } from "../nodes/known-nodes.js";
import { breakerWords, capital } from "./type-words.js";

interface PausedProps {
  label: string;
  /** Who paused it, and why. */
  words: string;
  pause: Pick<Pause, "since" | "until">;
  /** What else is to be said. */
  children?: ComponentChildren;
}

/** Who paused it, since when, why, and until when. */
export function Paused({ label, words, pause, children }: PausedProps) {
  return (
    <section class="because is-paused" aria-label={label}>
      <Icon name="paused" />
      <p>
        {capital(words)}, since <Instant at={pause.since} />.{" "}
        {pause.until === null ? (
          "It goes on when somebody resumes it."
        ) : (
          <>
            It goes on at <Instant at={pause.until} />.
          </>
        )}{" "}
        {children}
      </p>
    </section>
  );
}

/** Since when the breaker of a type is open, what has failed since, when the next trial is or who tries. */
export function OpenBreaker({ breaker, children }: { breaker: TypeBreaker; children?: ComponentChildren }) {
  const { does, next } = breakerWords({ ...breaker, node: breaker.node && nodeName(breaker.node) });
  return (
    <section class="because is-failing" aria-label="Its breaker">
      <Icon name="failing" />
      <p>
        Its breaker is open since <Instant at={breaker.since} />: {does}. {next} <Instant at={breaker.until} />.{" "}
        {children}
      </p>
    </section>
  );
}
