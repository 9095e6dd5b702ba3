import {
  type EpochMs,
  type NewTask,
  type TaskType,
  TickwheelError,
  type TypeId,
  typeQuotaReached,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import { addType } from "../statements/types/add-type.js";
import { findAnyType } from "../statements/types/find-any-type.js";
import { findType } from "../statements/types/find-type.js";
import { listTypes } from "../statements/types/list-types.js";
import { lockTypes } from "../statements/types/lock-types.js";
import { touchTypes } from "../statements/types/touch-types.js";
import type { Naming } from "../writing/write-tasks.js";

/**
 * The types that this process knows. A type is kept here only once its row is committed. Rows are never deleted, so a
 * number keeps its meaning for ever. The next list shows which names were dropped. An unknown number is read from the
 * table.
 *
 * The registry notes the types of which tasks were made. It writes them when it lists the types, about once an hour for
 * each type, so creates pay nothing for it.
 */
export class TypeRegistry {
  private readonly byId = new Map<TypeId, TaskType>();
  private readonly byName = new Map<string, TaskType>();
  /** The types of which tasks were made since the last write. */
  private readonly used = new Set<TypeId>();
  private readonly touched = new Set<TypeId>();
  private lists = 0;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly asOf: () => EpochMs | null,
  ) {}

  /** @throws TickwheelError `VALIDATION_FAILED`: the type is new, and its namespace already has `quota` types */
  async ensure(wanted: Omit<TaskType, "id">, quota?: number): Promise<TaskType> {
    const known = this.byName.get(nameOf(wanted));
    if (known) return { ...known };
    const [found] = await this.database.run(findType, wanted);
    return { ...this.keep(found ?? (await this.add(wanted, quota))) };
  }

  async list(): Promise<TaskType[]> {
    const before = [...this.byName.keys()];
    const types = await this.database.run(listTypes, { asOf: this.asOf() });
    const listed = new Set(types.map(nameOf));
    for (const name of before) if (!listed.has(name)) this.byName.delete(name);
    for (const type of types) this.keep(type);
    await this.touch();
    return types.map((type) => ({ ...type }));
  }

  /**
   * The type of a new task.
   * @throws TickwheelError `INTERNAL`: no type of the namespace has this number
   */
  async get(namespace: string, id: TypeId): Promise<TaskType> {
    this.used.add(id);
    const type = this.byId.get(id) ?? (await this.database.run(findAnyType, { id }))[0];
    if (type && !this.byId.has(id)) this.byId.set(id, type);
    if (type?.namespace === namespace) return type;
    throw new TickwheelError("INTERNAL", `There is no type ${id} in the namespace ${namespace}`);
  }

  /** The types of new tasks of a namespace, by number. @throws TickwheelError as {@link get} */
  async of(namespace: string, tasks: readonly Pick<NewTask, "typeId">[]): Promise<Naming> {
    const ids = [...new Set(tasks.map(({ typeId }) => typeId))];
    return new Map(await Promise.all(ids.map(async (id) => [id, await this.get(namespace, id)] as const)));
  }

  private add(wanted: Omit<TaskType, "id">, quota: number | undefined): Promise<TaskType> {
    return this.database.transaction(async (session) => {
      await session.run(lockTypes, wanted.namespace);
      const [added] = await session.run(addType, { ...wanted, quota: quota ?? null, asOf: this.asOf() });
      const type = added ?? (await session.run(findType, wanted))[0];
      if (!type) throw typeQuotaReached(wanted, quota ?? 0);
      return type;
    });
  }

  private async touch(): Promise<void> {
    if (++this.lists % LISTS_PER_TOUCH === 0) this.touched.clear();
    const used = [...this.used];
    const ids = used.filter((id) => !this.touched.has(id));
    if (ids.length > 0) await this.database.run(touchTypes, { ids, asOf: this.asOf() });
    for (const id of used) this.used.delete(id);
    for (const id of ids) this.touched.add(id);
  }

  private keep(type: TaskType): TaskType {
    this.byId.set(type.id, type);
    this.byName.set(nameOf(type), type);
    return type;
  }
}

/** After this many lists, about an hour, each used type is written again. The table takes this once a day. */
const LISTS_PER_TOUCH = 720;

function nameOf({ namespace, type }: Omit<TaskType, "id">): string {
  return `${namespace}\0${type}`;
}
