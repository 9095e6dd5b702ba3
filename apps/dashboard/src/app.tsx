import { useEffect } from "preact/hooks";
import { place } from "./place/place.js";
import { fragmentOf, overview, type Route } from "./place/route.js";
import { LogInPage } from "./session/log-in.js";
import { api, mayAs, session } from "./session/session.js";
import { later } from "./shell/later.js";
import { Shell } from "./shell/shell.js";
import { DeadGroupPage } from "./dead/dead-group-page.js";
import { DeadPage } from "./dead/dead-page.js";
import { useKnownNodes } from "./nodes/known-nodes.js";
import { OverviewPage } from "./overview/overview-page.js";
import { SchedulePage } from "./schedules/schedule-page.js";
import { SchedulesPage } from "./schedules/schedules-page.js";
import { CreatePage } from "./tasks/create-page.js";
import { TaskPage } from "./tasks/task-page.js";
import { TasksPage } from "./task-lists/tasks-page.js";
import { TypePage } from "./types/type-page.js";
import { TypesPage } from "./types/types-page.js";
import { Empty } from "./ui/empty.js";
import { PageHead } from "./ui/page-head.js";

// The pages that few visits open.
const scheduleForm = () => import("./schedule-form/schedule-form-page.js");
const BatchPage = later("Batch", async () => (await import("./batches/batch-page.js")).BatchPage);
const BatchesPage = later("Batches", async () => (await import("./batches/batches-page.js")).BatchesPage);
const ClusterPage = later("Cluster", async () => (await import("./cluster/cluster-page.js")).ClusterPage);
const KeysPage = later("API keys", async () => (await import("./keys/keys-page.js")).KeysPage);
const OperationPage = later("Operation", async () => (await import("./operations/operation-page.js")).OperationPage);
const OperationsPage = later(
  "Operations",
  async () => (await import("./operations/operations-page.js")).OperationsPage,
);
const ScheduleCreatePage = later("New schedule", async () => (await scheduleForm()).ScheduleCreatePage);
const ScheduleEditPage = later("Edit schedule", async () => (await scheduleForm()).ScheduleEditPage);

export function App() {
  useKnownNodes();
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
      return <TasksPage api={api} place={{ tab: route.tab, line: route.line }} />;
    case "task":
      return <TaskPage key={route.id} api={api} id={route.id} />;
    case "types":
      return route.type === null ? <TypesPage /> : <TypePage key={route.type} api={api} type={route.type} />;
    case "schedules":
      return <SchedulesPage api={api} />;
    case "schedule":
      return <SchedulePage key={route.name} api={api} name={route.name} />;
    case "schedule-edit":
      if (!mayAs("operator")) return <NotAllowed name="Edit schedule" what="change schedules" />;
      return <ScheduleEditPage key={route.name} api={api} name={route.name} />;
    case "schedule-create":
      if (!mayAs("operator")) return <NotAllowed name="New schedule" what="make schedules" />;
      return <ScheduleCreatePage api={api} />;
    case "batches":
      return <BatchesPage api={api} filter={route.filter} />;
    case "batch":
      return <BatchPage key={route.id} api={api} id={route.id} state={route.state} />;
    case "dead":
      return <DeadPage api={api} filter={route.filter} />;
    case "dead-group":
      return <DeadGroupPage key={`${route.type} ${route.fingerprint}`} api={api} cause={route} />;
    case "operations":
      return <OperationsPage api={api} />;
    case "operation":
      return <OperationPage key={route.id} api={api} id={route.id} outcome={route.outcome} />;
    case "keys":
      if (!mayAs("admin")) return <NotAllowed name="API keys" what="manage API keys" needs="an administrator" />;
      return <KeysPage api={api} />;
    case "cluster":
      return session.value?.cluster ? <ClusterPage api={api} view={route.view} /> : <NotOfCluster />;
    case "create":
      if (!mayAs("operator")) return <NotAllowed name="New task" what="create tasks" />;
      return <CreatePage key={route.from} api={api} from={route.from} />;
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

interface NotAllowedProps {
  name: string;
  what: string;
  /** Who may. Default: an operator. */
  needs?: string;
}

function NotAllowed({ name, what, needs = "an operator" }: NotAllowedProps) {
  return (
    <>
      <PageHead name={name} />
      <section class="panel">
        <Empty icon="lock" title={`You may not ${what}`}>
          Your role is {session.value?.role}; that needs {needs}.
        </Empty>
      </section>
    </>
  );
}

function NotOfCluster() {
  return (
    <>
      <PageHead name="Cluster" />
      <section class="panel">
        <Empty icon="lock" title="You may not see the cluster">
          That needs the right <code>cluster</code>, which an administrator gives to a key.
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
