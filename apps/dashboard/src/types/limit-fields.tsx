import { DraftInput, type Drafted } from "../ui/draft-input.js";
import type { LimitsDraft } from "./limits-draft.js";

/** Asks how many run at once in the whole cluster, and how often they start: of a type, or of a namespace. */
export function LimitFields(drafted: Drafted<LimitsDraft>) {
  return (
    <>
      <DraftInput<LimitsDraft>
        {...drafted}
        name="maxRunning"
        label="At once in the whole cluster"
        hint="1 to 1,000; empty: as many as there is room for. Never more run; beyond a lowered limit what runs goes on to its end."
      />
      <div class="grid-2">
        <DraftInput<LimitsDraft>
          {...drafted}
          name="count"
          label="Starts in the whole cluster"
          hint="1 to 1,000,000; empty: as often as they are due."
        />
        <DraftInput<LimitsDraft> {...drafted} name="per" label="In" hint="Up to 1d, such as 1s or 15m." />
      </div>
      <DraftInput<LimitsDraft>
        {...drafted}
        name="burst"
        label="At once after a rest"
        hint="1 to 1,000,000; empty: as many as may start in a second."
      />
    </>
  );
}
