const COPIES = Symbol.for("tickwheel.copies");

type Process = typeof globalThis & { [COPIES]?: Set<string> };

/** Where the copies of this package that the process has loaded are, in the order in which they were. */
function copies(): Set<string> {
  return ((globalThis as Process)[COPIES] ??= new Set());
}

copies().add(import.meta.url);

/**
 * The addresses of all copies of this package that the process has loaded. More than one: what one of them makes may be
 * unknown to what another one looks for, such as a class that is injected.
 */
export function loadedCopies(): readonly string[] {
  return [...copies()];
}
