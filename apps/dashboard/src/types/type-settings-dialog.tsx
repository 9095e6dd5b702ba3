import type { TypeFigures } from "../api/wire.js";
import { api } from "../session/session.js";
import { DraftInput } from "../ui/draft-input.js";
import { LimitFields } from "./limit-fields.js";
import { SettingsDialog } from "./settings-dialog.js";
import { draftOf, readDraft, type TypeSettingsDraft } from "./type-settings-draft.js";

/** Asks what a type may do: how many run, how often they start, and how long those that have ended are kept. */
export function TypeSettingsDialog({ figures, onClose }: { figures: TypeFigures; onClose: () => void }) {
  const { type } = figures;
  return (
    <SettingsDialog
      title={`Settings of ${type}`}
      draft={draftOf(figures)}
      read={readDraft}
      change={(body) => api.settings.updateType(type, body)}
      onSent={onClose}
      onClose={onClose}
    >
      {(drafted) => (
        <>
          <DraftInput<TypeSettingsDraft>
            {...drafted}
            name="concurrency"
            label="At once on each node"
            hint="1 to 10,000; empty: as its handler says, else the node. What runs beyond it goes on to its end."
          />
          <LimitFields {...drafted} />
          <DraftInput<TypeSettingsDraft>
            {...drafted}
            name="keepSucceeded"
            label="Keep succeeded tasks for"
            hint="From 1h on, such as 7d; empty: as long as all others. 0: not at all, so such a task cannot be found after its end, and runs of schedules do not tell how they ended."
          />
          <DraftInput<TypeSettingsDraft>
            {...drafted}
            name="keepCancelled"
            label="Keep cancelled tasks for"
            hint="From 1h on, such as 1d; empty: as long as all others. 0: not at all, so such a task cannot be found or retried after its end."
          />
          <DraftInput<TypeSettingsDraft>
            {...drafted}
            name="keepDead"
            label="Keep dead tasks for"
            hint="From 1h on, such as 30d; empty: as long as all others. What is gone cannot be retried."
          />
        </>
      )}
    </SettingsDialog>
  );
}
