import { type DynamicModule, Global, Module, type OnApplicationShutdown } from "@nestjs/common";
import { DataSource } from "typeorm";
import { openShopDataSource } from "./shop-data-source.js";

/** The shop's own DataSource, for every module. It closes in `onApplicationShutdown`, when no task runs any more. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  static forRoot(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: DataSource, useFactory: () => openShopDataSource(url) }],
      exports: [DataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
