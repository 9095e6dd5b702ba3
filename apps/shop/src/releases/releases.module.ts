import { type DynamicModule, Module } from "@nestjs/common";
import { Mailer } from "./mailer.js";
import { ReleasesService } from "./releases.service.js";
import { RemindOfReleaseHandler } from "./remind-of-release.handler.js";

/** Releases, and the mails that remind of them. */
@Module({})
export class ReleasesModule {
  static forRoot(smtpUrl: string): DynamicModule {
    return {
      module: ReleasesModule,
      providers: [{ provide: Mailer, useFactory: () => new Mailer(smtpUrl) }, ReleasesService, RemindOfReleaseHandler],
      exports: [ReleasesService],
    };
  }
}
