import { rename, writeFile } from "node:fs/promises";
import { Global, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
import { DelayTaskNode, DelayTaskService } from "@tickwheel/nestjs";
import { DelayTaskApiModule } from "./module/delay-task-api.module.js";
import { openApiFile } from "./openapi/openapi.controller.js";
import { OPENAPI_SCHEMAS, SECURITY_SCHEME } from "./openapi/openapi-schemas.js";

/** Stands in for the node: the document needs controllers, not what they do. */
@Global()
@Module({
  providers: [
    { provide: DelayTaskNode, useValue: {} },
    { provide: DelayTaskService, useValue: {} },
  ],
  exports: [DelayTaskNode, DelayTaskService],
})
class StandInModule {}

@Module({ imports: [StandInModule, DelayTaskApiModule.forRoot()] })
class DocumentedModule {}

/** Writes the OpenAPI document beside the compiled files. A step of the build. */
async function writeOpenApi(): Promise<void> {
  const app = await NestFactory.create(DocumentedModule, { logger: false, abortOnError: false });
  const config = new DocumentBuilder()
    .setTitle("Tickwheel")
    .setDescription("Durable delayed tasks. Errors are problem+json; their codes are explained in docs/errors.md.")
    .setVersion("1")
    .addServer(".")
    .addBearerAuth(SECURITY_SCHEME)
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_controller, method) => method });
  document.components = { ...document.components, schemas: OPENAPI_SCHEMAS };
  // A node that starts while this is built again reads the old one or the new one.
  const written = new URL(`${openApiFile.href}.${String(process.pid)}`);
  await writeFile(written, `${JSON.stringify(document, null, 2)}\n`);
  await rename(written, openApiFile);
}

await writeOpenApi();
