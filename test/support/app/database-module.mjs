import { Inject, Module } from "@nestjs/common";
import { DataSource } from "typeorm";

/** The application's own DataSource. It closes in `onModuleDestroy`, as applications do, and records when. */
export class DatabaseModule {
  constructor(dataSource) {
    this.dataSource = dataSource;
  }

  static register(url) {
    const useFactory = () => new DataSource({ type: "postgres", url, poolSize: 10 }).initialize();
    return { module: DatabaseModule, providers: [{ provide: DataSource, useFactory }], exports: [DataSource] };
  }

  async onModuleDestroy() {
    const values = [String(process.pid), "database-closing"];
    await this.dataSource.query("INSERT INTO life (node, event) VALUES ($1, $2)", values);
    await this.dataSource.destroy();
  }
}
Inject(DataSource)(DatabaseModule, undefined, 0);
Module({})(DatabaseModule);
