import { Injectable } from "@nestjs/common";
import { DataSource } from "typeorm";

/** Which execution a row is about. */
export interface ExecutionName {
  orderId: string;
  /** `ip:pid`, as the cluster calls the node. */
  node: string;
  fence: number;
}

/**
 * Writes what happens to orders into append-only tables, at the database's time. In plain SQL: a row's defaults are all
 * that it would read back, and TypeORM's builders cost more than the statement.
 */
@Injectable()
export class ExecutionLog {
  constructor(private readonly dataSource: DataSource) {}

  async started(
    { orderId, node, fence }: ExecutionName,
    { attempt, dueAt }: { attempt: number; dueAt: Date },
  ): Promise<void> {
    await this.dataSource.query(
      "INSERT INTO shop.execution_starts (order_id, node, fence, attempt, due_at) VALUES ($1, $2, $3, $4, $5)",
      [orderId, node, fence, attempt, dueAt],
    );
  }

  async ended({ orderId, node, fence }: ExecutionName, outcome: string): Promise<void> {
    await this.dataSource.query(
      "INSERT INTO shop.execution_ends (order_id, node, fence, outcome) VALUES ($1, $2, $3, $4)",
      [orderId, node, fence, outcome],
    );
  }
}
