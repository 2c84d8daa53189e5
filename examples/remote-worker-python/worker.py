"""A worker in plain Python 3: it claims runs over HTTP and needs no package and no database connection."""
import json, os, socket, threading, time, traceback, urllib.error, urllib.request

SERVER, KEY = os.environ["PUNCTUAL_SERVER"], os.environ.get("PUNCTUAL_API_KEY", "")
CAPACITY, LEASE_MS = 4, int(os.environ.get("LEASE_MS", 30_000))

def flaky(payload, run):
    if run["attempt"] < payload["succeeds_at"]: raise ConnectionError("no answer")

def patient(payload, run):
    if run["cancelled"].wait(payload["seconds"]): raise InterruptedError("the run was cancelled")

HANDLERS = {"py-greet": lambda payload, run: f"Hello, {payload['name']}!", "py-flaky": flaky, "py-patient": patient}

def ask(path, body):
    """Returns the answer, or None when the session is lost. Retries until it has one: every verb may be repeated."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    while True:
        try:
            request = urllib.request.Request(f"{SERVER}/v1/worker-sessions{path}", json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as answer: return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code == 404: return None
            if refused.code < 500: raise RuntimeError(refused.read().decode())
        except OSError as error: print("retrying:", error, flush=True)
        if path.endswith("/claim"): body["held"] = list(held)  # Runs of a lost answer are sent again.
        time.sleep(0.5)

def perform(session, run):
    began, outcome = time.monotonic(), {"run_id": run["run_id"], "fence": run["fence"]}
    try:  # A run that must not start twice is marked first; the mark is refused when the lease is lost.
        if run["mark_start"]: assert ask(f"/{session}/start", {"runs": [{**outcome}]})["results"][0]["accepted"]
        outcome |= {"outcome": "succeeded", "output": HANDLERS[run["handler"]](run["payload"], run)}
    except Exception as error:
        why = {"name": type(error).__name__, "message": str(error), "stack": traceback.format_exc()}
        outcome |= {"outcome": "cancelled" if run["cancelled"].is_set() else "failed", "error": why}
    outcome["started_ms_ago"] = (time.monotonic() - began) * 1000
    ask(f"/{session}/settle", {"outcomes": [outcome]})
    del held[run["fence"]]
    permits.release()

def heartbeat(session, every_ms):
    while True:
        runs = [{"run_id": run["run_id"], "fence": fence} for fence, run in list(held.items())]
        answer = ask(f"/{session}/renew", {"runs": runs})
        if answer is None: os._exit(1)  # The session expired and other workers have its runs: restart.
        for run in answer["cancels"] + answer["lost"]:
            if run["fence"] in held: held[run["fence"]]["cancelled"].set()
        time.sleep(every_ms / 1000)

held, permits = {}, threading.Semaphore(CAPACITY)
worker = {"host": socket.gethostname(), "pid": os.getpid(), "handlers": list(HANDLERS), "capacity": CAPACITY}
opened = ask("", {**worker, "lease_ms": LEASE_MS})
threading.Thread(target=heartbeat, args=(opened["id"], opened["renew_every_ms"]), daemon=True).start()
while True:
    with permits: pass  # Waits for a free permit.
    for run in ask(f"/{opened['id']}/claim", {"limit": CAPACITY - len(held), "wait_ms": 20_000})["runs"]:
        permits.acquire()
        held[run["fence"]] = run | {"cancelled": threading.Event()}
        threading.Thread(target=perform, args=(opened["id"], held[run["fence"]]), daemon=True).start()
