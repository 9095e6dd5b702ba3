import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { PausingDialog } from "../session/pausing-dialog.js";
import { toast } from "../ui/toast.js";
import { policyWords } from "./rule-words.js";

interface PauseDialogProps {
  api: TickwheelApi;
  schedule: Schedule;
  onClose: () => void;
}

/** Asks why it is paused, which everybody is told, and until when. */
export function PauseDialog({ api, schedule: { name, onResume }, onClose }: PauseDialogProps) {
  return (
    <PausingDialog
      title={`Pause ${name}?`}
      confirm="Pause schedule"
      pause={(body) => api.schedules.pause(name, body)}
      onPaused={() => toast("Paused.")}
      onClose={onClose}
    >
      <p>What has not started is taken back, what runs goes on. After the pause: {policyWords.resumes[onResume]}.</p>
    </PausingDialog>
  );
}
