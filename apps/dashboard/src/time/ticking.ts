import { signal } from "@preact/signals";

const secondMs = 1_000;
const minuteMs = 60_000;

/** The time, in milliseconds of the epoch, as of this second and as of this minute. Both rest while nobody looks. */
const second = signal(Date.now());
const minute = signal(Date.now());

/**
 * The time now, for something `instant` is told relative to: it ticks each second while `instant` is within two
 * minutes, and each minute otherwise. Read it while rendering.
 */
export function nowFor(instant: number): number {
  const isNear = Math.abs(instant - second.peek()) < 2 * minuteMs;
  return isNear ? second.value : Math.max(minute.value, second.peek());
}

function tick(): void {
  if (document.hidden) return;
  const now = Date.now();
  second.value = now;
  if (now - minute.peek() >= minuteMs) minute.value = now;
}

/** Lets the time go on until the returned function is called; once per page. */
export function startTicking(): () => void {
  const timer = setInterval(tick, secondMs);
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}
