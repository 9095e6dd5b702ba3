import { type TaskType, TickwheelError, type TypeId } from "@tickwheel/core";
import type { PostgresDatabase } from "./postgres-database.js";
import { addType } from "./statements/add-type.js";
import { findType } from "./statements/find-type.js";
import { listTypes } from "./statements/list-types.js";

/**
 * The types that this process knows. A type is kept here only once its row is committed, and rows are never deleted, so what is kept
 * stays true; an unknown number re-reads the table.
 */
export class TypeRegistry {
  private readonly byId = new Map<TypeId, TaskType>();
  private readonly byName = new Map<string, TaskType>();

  constructor(private readonly database: PostgresDatabase) {}

  async ensure(wanted: Omit<TaskType, "id">): Promise<TaskType> {
    const known = this.byName.get(nameOf(wanted));
    if (known) return { ...known };
    const [found] = await this.database.run(findType, wanted);
    const [added] = found ? [] : await this.database.run(addType, wanted);
    const [other] = found || added ? [] : await this.database.run(findType, wanted);
    const type = found ?? added ?? other;
    if (!type) throw new TickwheelError("INTERNAL", `The type ${wanted.type} is neither there nor can it be added`);
    return { ...this.keep(type) };
  }

  async list(): Promise<TaskType[]> {
    const types = await this.database.run(listTypes, null);
    return types.map((type) => ({ ...this.keep(type) }));
  }

  /** @throws TickwheelError `INTERNAL`: no type of the namespace has this number */
  async get(namespace: string, id: TypeId): Promise<TaskType> {
    if (!this.byId.has(id)) await this.list();
    const type = this.byId.get(id);
    if (type?.namespace === namespace) return type;
    throw new TickwheelError("INTERNAL", `There is no type ${id} in the namespace ${namespace}`);
  }

  private keep(type: TaskType): TaskType {
    this.byId.set(type.id, type);
    this.byName.set(nameOf(type), type);
    return type;
  }
}

function nameOf({ namespace, type }: Omit<TaskType, "id">): string {
  return `${namespace}\0${type}`;
}
