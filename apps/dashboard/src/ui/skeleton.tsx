/**
 * Stands where something is being read. It shows after 200 ms (by CSS), so that what comes at once does not flicker.
 */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="sk-lines" aria-busy="true">
      <span class="sr">Reading…</span>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} class="sk" />
      ))}
    </div>
  );
}
