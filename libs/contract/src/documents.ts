export { sdlOf } from "./documents/graphql.js";
export { IDEMPOTENCY_KEY, MOST_WAIT_SECONDS, openApiOf, REPLAYED } from "./documents/openapi.js";
export { apiChanges, type ApiChanges } from "./documents/api-changes.js";
export { generatedFiles } from "./documents/generated-files.js";
export { catalogueParts } from "./documents/catalogue-parts.js";
export { withParts } from "./documents/markdown.js";
