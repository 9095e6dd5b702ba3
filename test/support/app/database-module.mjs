import { Inject, Module } from "@nestjs/common";
import { DataSource } from "typeorm";

/** More than stand still in a transaction at once in the fault tests. */
const CONNECTIONS = 20;

/** The application's own DataSource. It closes in `onModuleDestroy`, as applications do, and records when. */
export class DatabaseModule {
  constructor(dataSource) {
    this.dataSource = dataSource;
  }

  static register(url) {
    const options = { type: "postgres", url, poolSize: CONNECTIONS, extra: { onConnect: hearErrors } };
    const useFactory = () => new DataSource(options).initialize();
    return { module: DatabaseModule, providers: [{ provide: DataSource, useFactory }], exports: [DataSource] };
  }

  async onModuleDestroy() {
    const values = [String(process.pid), "database-closing"];
    await this.dataSource.query("INSERT INTO life (node, event) VALUES ($1, $2)", values);
    await this.dataSource.destroy();
  }
}

/**
 * TypeORM listens to a new connection's errors one turn too late. A server that shuts down may end the session together
 * with its greeting, and that would end the process.
 */
function hearErrors(client) {
  client.on("error", () => {});
}

Inject(DataSource)(DatabaseModule, undefined, 0);
Module({})(DatabaseModule);
