import { Column, Entity, Index, PrimaryColumn } from "typeorm";

/** A step of a handler (`ctx.once`) that is done. It is kept until its task is gone. */
@Entity("step")
@Index("step_created", ["createdAt", "taskId"])
export class StepEntity {
  @PrimaryColumn("uuid", { name: "task_id" }) taskId!: string;
  @PrimaryColumn("text") name!: string;
  @Column("json", { nullable: true }) result!: unknown;
  @Column({ name: "created_at", type: "timestamptz", precision: 3 }) createdAt!: Date;
}

/** What a task's handler has told last: its checkpoint and its progress. It is kept until its task is gone. */
@Entity("handler_report")
@Index("handler_report_created", ["createdAt", "taskId"])
export class HandlerReportEntity {
  @PrimaryColumn("uuid", { name: "task_id" }) taskId!: string;
  @Column({ name: "created_at", type: "timestamptz", precision: 3 }) createdAt!: Date;
  @Column({ name: "checkpoint_at", type: "timestamptz", precision: 3, nullable: true }) checkpointAt!: Date | null;
  @Column({ name: "progress_at", type: "timestamptz", precision: 3, nullable: true }) progressAt!: Date | null;
  /** 0 to 1. */
  @Column("double precision", { nullable: true }) progress!: number | null;
  @Column("text", { nullable: true }) note!: string | null;
  @Column("json", { nullable: true }) checkpoint!: unknown;
}
