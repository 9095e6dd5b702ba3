import { Global, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from "@nestjs/swagger";
import { DelayTaskNode, DelayTaskService } from "@tickwheel/nestjs";
import { OPENAPI_SCHEMAS, TAGS } from "../openapi/openapi-schemas.js";
import { SECURITY_SCHEME, SESSION_SCHEME } from "../openapi/security-schemes.js";
import { apiModule } from "./delay-task-api.module.js";

const PROJECT_URL = "https://github.com/tickwheel/tickwheel";

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

@Module({ imports: [StandInModule, apiModule({})] })
class DocumentedModule {}

/** The OpenAPI document of the REST calls and the health checks, made from their controllers. */
export async function openApiDocument(): Promise<OpenAPIObject> {
  const app = await NestFactory.create(DocumentedModule, { logger: false, abortOnError: false });
  const builder = new DocumentBuilder()
    .setTitle("Tickwheel")
    .setDescription("Durable delayed tasks. Errors are problem+json; their codes are explained in docs/errors.md.")
    .setVersion("1")
    .setLicense("MIT", "https://opensource.org/license/mit")
    .addServer(".")
    // Not `addBearerAuth`: it says that keys are JWTs.
    .addSecurity("bearer", SECURITY_SCHEME)
    .addSecurity("session", SESSION_SCHEME);
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const config = builder.build();
  // Not `setContact`: it writes an empty address.
  config.info.contact = { name: "Tickwheel", url: PROJECT_URL };
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_controller, method) => method });
  document.components = { ...document.components, schemas: OPENAPI_SCHEMAS };
  return document;
}
