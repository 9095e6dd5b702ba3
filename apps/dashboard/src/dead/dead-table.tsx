import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { DeadGroup } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { type Column, DataTable } from "../ui/data-table.js";
import { SparkBars } from "../ui/figure.js";
import { DeadButtons } from "./dead-buttons.js";
import { deathBars, deathsText, nameOfGroup, whyDead } from "./dead-words.js";

/** A group as a row of a list. */
export type DeadRow = DeadGroup & { readonly id: string };

/** The causes of dead tasks, those with the most first. */
export function DeadTable({ api, rows }: { api: TickwheelApi; rows: readonly DeadRow[] }) {
  return <DataTable caption="Causes of dead letters" columns={columnsFor(api)} rows={rows} rowKey={({ id }) => id} />;
}

function columnsFor(api: TickwheelApi): Column<DeadRow>[] {
  return [
    {
      head: "Dead",
      isNumber: true,
      at: "b",
      cell: ({ count }) => <b class="ink is-dead">{formatCount(count)}</b>,
    },
    { head: "Error", isName: true, at: "a", cell: (group) => <Name group={group} /> },
    { head: "Ended because", at: "c", cell: ({ reason }) => whyDead(reason) },
    { head: "First", isLow: true, cell: ({ firstAt }) => <Instant at={firstAt} as="distance" /> },
    { head: "Last", at: "c2", cell: ({ lastAt }) => <Instant at={lastAt} as="distance" /> },
    { head: "7 days", isLow: true, cell: ({ hours }) => <Deaths hours={hours} /> },
    {
      head: "Actions",
      headCell: <span class="sr">Actions</span>,
      at: "d",
      cell: (group) => <DeadButtons api={api} group={group} />,
    },
  ];
}

function Name({ group }: { group: DeadGroup }) {
  return (
    <>
      <CauseName group={group} />
      <span class="two">{group.type}</span>
    </>
  );
}

/** What a cause is called; it leads to its page, if it has one. */
export function CauseName({ group }: { group: DeadGroup }) {
  const { type, fingerprint } = group;
  const name = nameOfGroup(group);
  if (fingerprint === null) return <span title="The type has too many causes for a group of each">{name}</span>;
  return (
    <a class="row wrap" href={fragmentOf({ page: "dead-group", type, fingerprint })}>
      {name}
    </a>
  );
}

/** Deaths of seven days as bars. */
export function Deaths({ hours }: { hours: readonly number[] }) {
  return (
    <div class="deaths" role="img" aria-label={deathsText(hours)} title={deathsText(hours)}>
      <SparkBars values={deathBars(hours)} fill="dead" />
    </div>
  );
}
