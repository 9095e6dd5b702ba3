import { Entity, Index } from "typeorm";
import { TaskColumns } from "./task-columns.js";

/**
 * Live tasks, and ended ones until they are moved to history. `task_former_key` is not told here: no decorator can tell
 * an index of an expression.
 */
@Entity("task")
@Index("task_due", ["typeId", "dueAt", "id"], { where: "state = 0" })
@Index("task_live_key", ["slot", "typeId", "key"], { unique: true, where: "key_live" })
@Index("task_running", ["owner"], { where: "state = 1" })
@Index("task_start_deadline", ["typeId", "startDeadlineAt"], {
  where: "(state + 0) = 0 AND started_at IS NULL AND start_deadline_at IS NOT NULL",
})
@Index("task_dead", ["typeId", "id"], { where: "state = 3" })
@Index("task_died", ["typeId", "finishedAt", "id"], { where: "state = 3" })
@Index("task_paused", ["typeId", "id"], { where: "state = -1" })
@Index("task_ended", ["state", "finishedAt"], { where: "state >= 2" })
export class TaskEntity extends TaskColumns {}
