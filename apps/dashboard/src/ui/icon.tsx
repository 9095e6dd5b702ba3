/** An icon of `icons.svg`, which stands in the page itself. It says nothing to a screen reader. */
export function Icon({ name }: { name: string }) {
  return (
    <svg class="i" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
