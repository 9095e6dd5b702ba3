import { Injectable } from "@nestjs/common";
import { DataSource, type EntityManager } from "typeorm";
import { Effect } from "./effect.entity.js";
import { ExecutionEnd } from "./execution-end.entity.js";
import { ExecutionStart } from "./execution-start.entity.js";

/** Which execution a row is about. */
export interface ExecutionName {
  orderId: string;
  /** `ip:pid`, as the cluster calls the node. */
  node: string;
  fence: number;
}

/** Writes what happens to orders into append-only tables, at the database's time. */
@Injectable()
export class ExecutionLog {
  constructor(private readonly dataSource: DataSource) {}

  async started(execution: ExecutionName, { attempt, dueAt }: { attempt: number; dueAt: Date }): Promise<void> {
    await this.dataSource.manager.insert(ExecutionStart, { ...execution, attempt, dueAt });
  }

  async ended(execution: ExecutionName, outcome: string): Promise<void> {
    await this.dataSource.manager.insert(ExecutionEnd, { ...execution, outcome });
  }

  /** Within the transaction that has the effect. */
  async tookEffect(execution: ExecutionName, manager: EntityManager): Promise<void> {
    await manager.insert(Effect, { ...execution });
  }
}
