import { signal, type Signal } from "@preact/signals";

/**
 * A choice that this browser keeps under `tickwheel-<name>`. A browser that keeps nothing has it until the page closes.
 *
 * @param values what may be kept; the first is the choice of who has chosen nothing, and is not kept
 */
export function remembered<T extends string>(name: string, values: readonly [T, ...T[]]): Signal<T> {
  const place = `tickwheel-${name}`;
  const choice = signal(values.find((value) => value === read(place)) ?? values[0]);
  choice.subscribe((value) => write(place, value === values[0] ? null : value));
  return choice;
}

/** The next of the values, and the first after the last. */
export function nextOf<T extends string>(values: readonly [T, ...T[]], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? values[0];
}

function read(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

function write(place: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(place);
    else localStorage.setItem(place, value);
  } catch {
    // It is a convenience.
  }
}
