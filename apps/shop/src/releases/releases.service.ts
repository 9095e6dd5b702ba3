import { Injectable } from "@nestjs/common";
import { DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { REMIND_AFTER, type ReleaseReminder, RemindOfRelease } from "./remind-of-release.task.js";

/** Releases, of which people are reminded a week later. */
@Injectable()
export class ReleasesService {
  constructor(private readonly delayTasks: DelayTaskService) {}

  /** Says that a version is released. A call may be repeated: its reminder stays where it is. */
  async released({ version, email }: ReleaseReminder): Promise<TaskView> {
    const options = { delay: REMIND_AFTER, key: `${version} ${email}`, onConflict: "return" } as const;
    const { task } = await this.delayTasks.schedule(RemindOfRelease, { version, email }, options);
    return task;
  }
}
