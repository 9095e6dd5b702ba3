import type { ComponentChildren } from "preact";

export type FactRows = readonly (readonly [name: string, value: ComponentChildren])[];

/** Names and values below each other, in a panel. */
export function Facts({ rows }: { rows: FactRows }) {
  return (
    <div class="body">
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
