interface ProgressProps {
  label: string;
  parts: readonly { readonly state: string; readonly share: number }[];
}

/** Parts of a whole, each by its share from 0 to 1. */
export function Progress({ label, parts }: ProgressProps) {
  return (
    <div class="progress" role="img" aria-label={label}>
      {parts.map(({ state, share }) => (
        <i key={state} class={`is-${state}`} style={{ "--w": percent(share) }} />
      ))}
    </div>
  );
}

/** How much of a limit is used; `share` from 0 to 1. */
export function Meter({ label, share }: { label: string; share: number }) {
  return (
    <div class="meter thick" role="img" aria-label={label}>
      <i style={{ width: percent(share) }} />
    </div>
  );
}

const percent = (share: number): string => `${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%`;
