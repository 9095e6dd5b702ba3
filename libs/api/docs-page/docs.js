// Asks for an API key, reads the OpenAPI document with it and shows it with Swagger UI. The key stays in this page's
// memory.

const form = document.getElementById("key-form");
const keyField = document.getElementById("key");
const fault = document.getElementById("fault");

/** Where the API is mounted: the page is at `docs/` below it. */
const apiUrl = new URL("..", location.href);

/** @throws Error with a message for the reader, where the document is not given out */
async function readDocument(key) {
  const answer = await fetch(new URL("openapi.json", apiUrl), { headers: { authorization: `Bearer ${key}` } });
  if (answer.ok) return answer.json();
  if (answer.status === 401) throw new Error("This API key is not accepted.");
  const { detail } = await answer.json().catch(() => ({}));
  throw new Error(detail ?? `The node answered ${answer.status}.`);
}

function show(description, key) {
  const page = globalThis.SwaggerUIBundle({
    spec: { ...description, servers: [{ url: apiUrl.href }] },
    dom_id: "#operations",
    deepLinking: true,
    validatorUrl: null,
    onComplete: () => page.preauthorizeApiKey("bearer", key),
  });
}

async function open() {
  fault.textContent = "";
  const key = keyField.value.trim();
  try {
    show(await readDocument(key), key);
    keyField.value = "";
    form.hidden = true;
  } catch (error) {
    fault.textContent = error.message;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void open();
});
