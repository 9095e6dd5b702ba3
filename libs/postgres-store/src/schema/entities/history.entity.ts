import { Entity, Index } from "typeorm";
import { TaskColumns } from "./task-columns.js";

/** Tasks that succeeded, were cancelled or expired, partitioned by the day of their end. */
@Entity("history")
@Index("history_id", ["id"])
@Index("history_type", ["typeId", "id"])
@Index("history_key", ["key"], { type: "hash", where: "key IS NOT NULL" })
export class HistoryEntity extends TaskColumns {}
