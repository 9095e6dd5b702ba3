import { Column, Entity, PrimaryGeneratedColumn, Unique } from "typeorm";

/** The number and the delivery of a (namespace, type), which never change. A dropped type costs nothing any more. */
@Entity("type")
@Unique("type_name", ["namespace", "type"])
export class TypeEntity {
  @PrimaryGeneratedColumn("identity") id!: number;
  @Column("text") namespace!: string;
  @Column("text") type!: string;
  @Column("text") delivery!: string;
  /** What its handlers announced last: a `TypePolicy`. */
  @Column("json", { nullable: true }) policy!: unknown;
  @Column({ name: "used_at", type: "timestamptz", precision: 3, nullable: true }) usedAt!: Date | null;
  @Column({ name: "dropped_at", type: "timestamptz", precision: 3, nullable: true }) droppedAt!: Date | null;
}
