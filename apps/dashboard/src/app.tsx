import { useEffect } from "preact/hooks";
import { place } from "./place/place.js";
import { fragmentOf, overview, type Route } from "./place/route.js";
import { LogInPage } from "./session/log-in.js";
import { api, mayAs, session } from "./session/session.js";
import { Shell } from "./shell/shell.js";
import { OverviewPage } from "./overview/overview-page.js";
import { CreatePage } from "./tasks/create-page.js";
import { TaskPage } from "./tasks/task-page.js";
import { TasksPage } from "./tasks/tasks-page.js";
import { TypesPage } from "./types/types-page.js";
import { Empty } from "./ui/empty.js";
import { PageHead } from "./ui/page-head.js";

export function App() {
  const who = session.value;
  if (!who) return <LogInPage />;
  // Another namespace has other tasks: nothing of the page before may stay.
  return (
    <Shell>
      <Page key={`${who.namespace} ${who.cluster}`} route={place.value} />
    </Shell>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "overview":
      return <OverviewPage view={route.view} />;
    case "tasks":
      return <TasksPage key={JSON.stringify(route.filter)} api={api} filter={route.filter} />;
    case "task":
      return <TaskPage key={route.id} api={api} id={route.id} />;
    case "types":
      return <TypesPage open={route.type} />;
    case "create":
      return mayAs("operator") ? <CreatePage api={api} /> : <NotAllowed />;
    case "log-in":
      return <Back to={route.back} />;
    case "unknown":
      return <NoSuchPage />;
  }
}

/** Who is logged in has no use for the log-in. */
function Back({ to }: { to: string }) {
  useEffect(() => location.replace(to), [to]);
  return null;
}

function NotAllowed() {
  return (
    <>
      <PageHead name="New task" />
      <section class="panel">
        <Empty icon="lock" title="Your key may not create tasks">
          It is a {session.value?.role}; creating needs an operator's key.
        </Empty>
      </section>
    </>
  );
}

function NoSuchPage() {
  return (
    <>
      <PageHead name="No such page" />
      <section class="panel">
        <Empty
          icon="search"
          title="There is no page at this address"
          actions={
            <a class="btn" href={fragmentOf(overview)}>
              Go to the overview
            </a>
          }
        />
      </section>
    </>
  );
}
