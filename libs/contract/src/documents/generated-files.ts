import { GROUPS } from "../operations/groups.js";
import { clientCallsOf } from "./client-calls.js";
import { codeTypeFiles } from "./code-types.js";
import { sdlOf } from "./graphql.js";
import { openApiOf } from "./openapi.js";
import { optionsSource } from "./option-tables.js";
import { referenceOf } from "./reference.js";
import { wordsSource } from "./words.js";

/** Every file that is made of the contract: its path in the repository, and its text. */
export function generatedFiles(): Record<string, string> {
  return {
    "libs/contract/openapi.json": `${JSON.stringify(openApiOf(GROUPS), null, 2)}\n`,
    "libs/contract/schema.graphql": `${sdlOf(GROUPS)}\n`,
    "libs/contract/src/words.ts": wordsSource(),
    "libs/client/src/calls.generated.ts": clientCallsOf(GROUPS),
    ...codeTypeFiles(),
    "libs/core/src/options/scheduler-options.ts": optionsSource(),
    "docs/reference.md": referenceOf(GROUPS),
  };
}
