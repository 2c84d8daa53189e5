"""A worker in plain Python 3: it takes runs over HTTP, and needs no package and no database connection."""
import json, os, socket, threading, time, traceback, urllib.error, urllib.request

SERVER, KEY = os.environ["PUNCTUAL_SERVER"], os.environ.get("PUNCTUAL_API_KEY", "")
CAPACITY, LEASE_MS = 4, int(os.environ.get("LEASE_MS", 30_000))

def flaky(payload, run):
    if run["attempt"] < payload["succeeds_at"]: raise ConnectionError("nobody answers")

def patient(payload, run):
    if run["cancelled"].wait(payload["seconds"]): raise InterruptedError("somebody cancelled it")

HANDLERS = {"py-greet": lambda payload, run: f"Hello, {payload['name']}!", "py-flaky": flaky, "py-patient": patient}

def ask(path, body):
    """The answer; None when the session is not ours any more. Tries again until there is one: every verb may be repeated."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    while True:
        try:
            request = urllib.request.Request(f"{SERVER}/v1/worker-sessions{path}", json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request, timeout=30) as answer: return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code == 404: return None
            if refused.code < 500: raise RuntimeError(refused.read().decode())
        except OSError as error: print("asking again:", error, flush=True)
        if path.endswith("/claim"): body["held"] = list(held)  # A lost answer may have brought runs: they come again.
        time.sleep(0.5)

def perform(session, run):
    began, told = time.monotonic(), {"run_id": run["run_id"], "fence": run["fence"]}
    try:  # A run that must not happen twice is marked before it starts; one that is not ours any more is refused.
        if run["mark_start"]: assert ask(f"/{session}/start", {"runs": [{**told}]})["results"][0]["accepted"]
        told |= {"outcome": "succeeded", "output": HANDLERS[run["handler"]](run["payload"], run)}
    except Exception as error:
        why = {"name": type(error).__name__, "message": str(error), "stack": traceback.format_exc()}
        told |= {"outcome": "cancelled" if run["cancelled"].is_set() else "failed", "error": why}
    told["started_ms_ago"] = (time.monotonic() - began) * 1000
    ask(f"/{session}/settle", {"outcomes": [told]})
    del held[run["fence"]]
    room.release()

def heartbeat(session, every_ms):
    while True:
        runs = [{"run_id": run["run_id"], "fence": fence} for fence, run in list(held.items())]
        told = ask(f"/{session}/renew", {"runs": runs})
        if told is None: os._exit(1)  # We were silent for too long, and others have our runs: start anew.
        for run in told["cancels"] + told["lost"]:
            if run["fence"] in held: held[run["fence"]]["cancelled"].set()
        time.sleep(every_ms / 1000)

held, room = {}, threading.Semaphore(CAPACITY)
worker = {"host": socket.gethostname(), "pid": os.getpid(), "handlers": list(HANDLERS), "capacity": CAPACITY}
opened = ask("", {**worker, "lease_ms": LEASE_MS})
threading.Thread(target=heartbeat, args=(opened["id"], opened["renew_every_ms"]), daemon=True).start()
while True:
    with room: pass  # Until there is room for one.
    for run in ask(f"/{opened['id']}/claim", {"limit": CAPACITY - len(held), "wait_ms": 20_000})["runs"]:
        room.acquire()
        held[run["fence"]] = run | {"cancelled": threading.Event()}
        threading.Thread(target=perform, args=(opened["id"], held[run["fence"]]), daemon=True).start()
