import { type AskedTasks, MAX_IDS, MAX_PAGE } from "@tickwheel/contract";
import { LIVE_STATES, type TaskPage, TickwheelError } from "@tickwheel/core";

/**
 * The ids of a tag's live tasks, newest first.
 *
 * @param find answers a page
 * @throws TickwheelError `VALIDATION_FAILED`: there are more than 1,000
 */
export async function liveTasksOf(
  { tag, type }: { tag: string; type?: string | null | undefined },
  find: (asked: AskedTasks) => Promise<TaskPage>,
): Promise<string[]> {
  const fields = { tag, type: type ?? undefined, states: LIVE_STATES };
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await find({ fields, limit: MAX_PAGE, after });
    ids.push(...page.tasks.map(({ id }) => id));
    if (ids.length > MAX_IDS) throw tooMany(tag);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return ids;
}

function tooMany(tag: string): TickwheelError {
  const message = `is the tag of more than ${MAX_IDS} live tasks, and none was cancelled: cancel them by an operation with the filter tag:${tag}`;
  return new TickwheelError("VALIDATION_FAILED", `The tag "${tag}" ${message}.`, {
    faults: [{ path: "tag", message }],
  });
}
