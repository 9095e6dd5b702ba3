import { Entity, Index } from "typeorm";
import { TaskColumns } from "./task-columns.js";

/**
 * Tasks that succeeded, were cancelled or expired, partitioned by the day of their end. `history_key` is not told here:
 * no decorator can tell an index of an expression.
 */
@Entity("history")
@Index("history_id", ["id"])
@Index("history_type", ["typeId", "id"])
export class HistoryEntity extends TaskColumns {}
