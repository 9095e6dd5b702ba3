# A worker of a pull queue: python3 worker.py image.resize
import json, os, signal, sys, threading, time, urllib.error, urllib.request

URL, KEY, TYPE = os.environ["TICKWHEEL_URL"], os.environ["TICKWHEEL_KEY"], sys.argv[1]
stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())

def call(path, body, wait_s=10):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=wait_s) as answer:
        return json.load(answer)

def work(task):
    return {"width": task["payload"]["width"] // 2}

def keep(token, done, refused):
    while not done.wait(10) and not refused:
        try:
            call(f"/v1/claims/{token}/extend", {"leaseMs": 30_000})
        except urllib.error.HTTPError as error:  # 409: the task is cancelled, or somebody else's.
            refused.append(error)
        except OSError as error:
            print(error, file=sys.stderr)

while not stopping.is_set():
    try:
        claims = call(f"/v1/queues/{TYPE}/claims", {"waitMs": 5_000, "leaseMs": 30_000}, 20)["claims"]
    except OSError as error:
        print(error, file=sys.stderr)
        time.sleep(5)
        continue
    for claim in claims:
        token, done, refused = claim["token"], threading.Event(), []
        threading.Thread(target=keep, args=(token, done, refused), daemon=True).start()
        try:
            end, body = "complete", {"result": work(claim["task"])}
        except Exception as error:
            end, body = ("release", {}) if refused else ("fail", {"error": repr(error)})
        done.set()
        try:
            call(f"/v1/claims/{token}/{end}", body)
        except OSError as error:
            print(error, file=sys.stderr)  # Its lease ends, and another consumer has the task.
