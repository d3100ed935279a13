#!/usr/bin/env python3
"""Works on jobs in Python, with the standard library only: claims them over HTTP, renews their leases, finishes them.
Use it when the code that does the work is in Python; call for call it is the same in any other language.
Run it: HOLDFAST_URL=http://127.0.0.1:8080 HOLDFAST_KEY=hf_… python3 python-worker.py
"""
import json, os, re, signal, threading, time, traceback, urllib.request

URL = os.environ.get("HOLDFAST_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("HOLDFAST_KEY", "")
LEASE_MS = 30_000


def page_title(job):
    """The handler: what it returns is the result, and an exception fails the attempt."""
    with urllib.request.urlopen(job["input"]["url"], timeout=60) as page:
        title = re.search(r"<title>(.*?)</title>", page.read().decode(), re.DOTALL)
    return {"title": title[1].strip() if title else None}


def post(path, body, tries=1):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {KEY}"} if KEY else {})}
    request = urllib.request.Request(f"{URL}/api/v1/work/{path}", json.dumps(body).encode(), headers)
    for left in reversed(range(tries)):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except OSError as error:
            # The server is away. What it refuses (4xx) it refuses again.
            if left == 0 or getattr(error, "code", 503) < 500:
                raise
            time.sleep(1)


def renew_until(finished, job):
    """A heartbeat from a thread of its own, so that a busy handler keeps its job."""
    while not finished.wait(LEASE_MS / 3_000):
        post("renew", {"leases": [job["lease"]]}, tries=5)


def work_on(job):
    finished = threading.Event()
    threading.Thread(target=renew_until, args=(finished, job), daemon=True).start()
    try:
        ending = {"outcome": "succeeded", "result": page_title(job)}
    except Exception as error:
        problem = {"name": type(error).__name__, "message": str(error)}
        ending = {"outcome": "failed", "error": problem, "log": traceback.format_exc()}
    finished.set()
    fence = {name: job[name] for name in ("job_id", "attempt", "lease")}
    [answer] = post("finish", {"jobs": [{**fence, **ending}]}, tries=60)["jobs"]
    # Not accepted: the lease was lost, and another worker has the job. Nothing was written.
    end = answer["state"] if answer["accepted"] else "lease lost"
    print(f"job {job['job_id']}: {end}\n", end="", flush=True)  # One write per line.


stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
while not stopping.is_set():
    claim = {"worker": f"python-{os.getpid()}", "queues": ["pages"], "lease_ms": LEASE_MS, "wait_ms": 2_000}
    for claimed in post("claim", claim, tries=60)["jobs"]:
        work_on(claimed)
