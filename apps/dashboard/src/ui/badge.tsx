/** A state as a word; the colour only repeats it. */
export function Badge({ state }: { state: string }) {
  return <span class={`badge is-${state}`}>{state}</span>;
}
