import type { TickwheelApi } from "./api/tickwheel-api.js";
import { fragmentOf, type Route } from "./route.js";
import { LogIn } from "./log-in.js";
import { OverviewPage } from "./overview/overview-page.js";
import { route } from "./place.js";
import { logOut, session } from "./session.js";
import { CreatePage } from "./tasks/create-page.js";
import { TaskPage } from "./tasks/task-page.js";
import { TasksPage } from "./tasks/tasks-page.js";
import { PageTitle } from "./ui/page-title.js";

export function App() {
  const current = session.value;
  if (current.kind === "out") return <LogIn message={current.message} />;
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header route={route.value} />
      <main id="main" tabIndex={-1}>
        <Page route={route.value} api={current.api} />
      </main>
    </>
  );
}

/** The fragment is the route, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

const links = [
  { text: "Overview", page: "overview", href: fragmentOf({ page: "overview" }) },
  { text: "Tasks", page: "tasks", href: fragmentOf({ page: "tasks", filter: {} }) },
  { text: "New task", page: "create", href: fragmentOf({ page: "create" }) },
];

function Header({ route }: { route: Route }) {
  return (
    <header class="top">
      <span class="brand">
        Tickwheel <span class="host">{location.host}</span>
      </span>
      <nav aria-label="Pages">
        {links.map(({ text, page, href }) => (
          <a key={page} href={href} aria-current={page === route.page ? "page" : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <button type="button" onClick={() => logOut()}>
        Log out
      </button>
    </header>
  );
}

function Page({ route, api }: { route: Route; api: TickwheelApi }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage api={api} />;
    case "tasks":
      return <TasksPage key={JSON.stringify(route.filter)} api={api} filter={route.filter} />;
    case "task":
      return <TaskPage key={route.id} api={api} id={route.id} />;
    case "create":
      return <CreatePage api={api} />;
    case "unknown":
      return (
        <>
          <PageTitle text="No such page" />
          <p>
            <a href={fragmentOf({ page: "overview" })}>Go to the overview</a>
          </p>
        </>
      );
  }
}
