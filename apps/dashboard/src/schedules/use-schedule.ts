import { useSignal } from "@preact/signals";
import type { Schedule, SchedulePreview, ScheduleRunPage } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";

const pollMs = 5_000;
/** What is to come is computed by the server, so it is asked for only when it can have changed. */
const previewMs = 60_000;
const previewed = 10;

/** One schedule with its runs and its next instants, read again and again. */
export function useSchedule(api: TickwheelApi, name: string) {
  const schedule = useSignal<Feed<Schedule>>(emptyFeed);
  const runs = useSignal<Feed<ScheduleRunPage>>(emptyFeed);
  const preview = useSignal<Feed<SchedulePreview> & { revision?: number | string }>(emptyFeed);
  const pages = useSignal(1);

  const readPreview = async (): Promise<void> => {
    const revision = schedule.value.value?.revision;
    if (revision === undefined || !isOld(preview.value, String(revision))) return;
    const answer = await api.schedules.preview(name, previewed);
    preview.value = { ...feedAfter(preview.value, answer, Date.now()), revision };
  };
  const readAgain = usePolling(pollMs, async () => {
    const [one, some] = await Promise.all([api.schedules.get(name), api.schedules.runs(name, pages.value)]);
    schedule.value = feedAfter(schedule.value, one, Date.now());
    runs.value = feedAfter(runs.value, some, Date.now());
    await readPreview();
    return waitAskedFor(schedule.value, runs.value, preview.value);
  });
  const showMore = (): void => {
    pages.value++;
    readAgain();
  };
  return { schedule: schedule.value, runs: runs.value, preview: preview.value, showMore, readAgain };
}

function isOld(
  { value, readAt, revision }: Feed<SchedulePreview> & { revision?: number | string },
  current: string,
): boolean {
  if (!value || readAt === null || String(revision) !== current) return true;
  const first = value.items[0];
  return Date.now() - readAt > previewMs || (first !== undefined && Date.parse(first.at) < Date.now());
}
