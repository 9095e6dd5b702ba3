import { Column, Entity, PrimaryGeneratedColumn, Unique } from "typeorm";

/** The number and the delivery of a (namespace, type). Never deleted. */
@Entity("type")
@Unique("type_name", ["namespace", "type"])
export class TypeEntity {
  @PrimaryGeneratedColumn("identity") id!: number;
  @Column("text") namespace!: string;
  @Column("text") type!: string;
  @Column("text") delivery!: string;
}
