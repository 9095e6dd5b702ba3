import {
  type Execution,
  type Fault,
  MAX_SPAWNED,
  MAX_SPAWNED_CHARACTERS,
  type NewTask,
  TickwheelError,
} from "@tickwheel/core";

/** A task to be spawned: its type, its payload, and options of a task. The application's edge checks them. */
export interface SpawnedTask {
  task: unknown;
  payload?: unknown;
}

/**
 * Makes drafts of what an execution spawns, in the namespace of its own task.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export type SpawnDrafts = (execution: Execution, tasks: readonly SpawnedTask[]) => Promise<NewTask[]>;

/** What one execution spawns (`ctx.spawn`): kept here, and written by the statement that ends the task well. */
export class ExecutionSpawns {
  private readonly drafted: NewTask[] = [];
  private characters = 0;

  constructor(
    private readonly execution: Execution,
    private readonly drafts: SpawnDrafts | null,
  ) {}

  /** Undefined: nothing was spawned. */
  get tasks(): readonly NewTask[] | undefined {
    return this.drafted.length === 0 ? undefined : this.drafted;
  }

  async add(tasks: readonly SpawnedTask[]): Promise<void> {
    if (!Array.isArray(tasks)) throw refusal("ctx.spawn takes a list of tasks", []);
    this.requireRoom(tasks.length);
    if (!this.drafts) throw refusal("This node makes no tasks, so a handler of it cannot spawn any", []);
    const drafts = await this.drafts(this.execution, tasks);
    this.requireRoom(drafts.length);
    const faults = drafts.flatMap(faultsOf);
    if (faults.length > 0) throw refusal("ctx.spawn", faults);
    const characters = drafts.reduce((sum, { payload }) => sum + payload.length, this.characters);
    if (characters > MAX_SPAWNED_CHARACTERS)
      throw refusal(
        `The payloads that an execution spawns have at most ${MAX_SPAWNED_CHARACTERS} characters together`,
        [],
      );
    this.characters = characters;
    this.drafted.push(...drafts);
  }

  private requireRoom(more: number): void {
    if (this.drafted.length + more > MAX_SPAWNED)
      throw refusal(`An execution spawns at most ${MAX_SPAWNED} tasks; let some of them spawn the rest`, []);
  }
}

/** A key would need its holder to be looked at, which the statement that ends a task must not wait for. */
function faultsOf({ key, onConflict }: NewTask, index: number): Fault[] {
  const faults: Fault[] = [];
  const path = `tasks[${index}]`;
  if (key !== null) faults.push({ path: `${path}.key`, message: "must not be given to a spawned task" });
  if (onConflict !== "reject")
    faults.push({ path: `${path}.onConflict`, message: "must not be given to a spawned task" });
  return faults;
}

function refusal(message: string, faults: Fault[]): TickwheelError {
  const list = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  return new TickwheelError("VALIDATION_FAILED", list === "" ? `${message}.` : `${message}: ${list}.`, { faults });
}
