#!/usr/bin/env python3
"""A worker for Holdfast in Python, with nothing but the standard library: it harvests leads from a site, page by page.

worker.ts does the same in TypeScript. It pulls a job, reports what it found every 50 items or 10 seconds together with the page to go on
from, and reports the end or what went wrong. Kill it whenever you like: the next worker gets the job when its lease has run out, with the cursor of the last report.
"""
import argparse
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from html.parser import HTMLParser
from urllib.parse import quote, urlencode, urljoin


class LeaseLost(Exception):
    """Another worker has the job, or it was ended: drop it. Nothing of what was sent has been written."""


class Canceled(Exception):
    """The job is to be stopped."""


class Refused(Exception):
    """The server will not do it, however often it is asked."""


class Holdfast:
    """The two calls a worker needs. Both may be sent again: a pull whose answer was lost costs a lease, a report changes nothing."""

    def __init__(self, url, key=None, worker_id=None, queue=None):
        self.url = url.rstrip("/")
        self.headers = {"Content-Type": "application/json"}
        if key:
            self.headers["Authorization"] = f"Bearer {key}"
        self.ask = {"worker_id": worker_id} if worker_id else {}
        if queue:
            self.ask["queue"] = queue

    def pull(self, lease_sec, wait_sec):
        """A job, or None when nothing is due."""
        return self.call("POST", "/api/pull_job", {**self.ask, "lease_sec": lease_sec, "wait_sec": wait_sec})

    def report(self, pulled, **said):
        answer = self.call(
            "POST",
            "/api/report_results",
            {"job_id": pulled["job_id"], "lease_token": pulled["lease_token"], **said},
        )
        if answer["cancel_requested"] and answer["status"] == "processing":
            raise Canceled("canceled on request")
        return answer

    def call(self, method, path, body, tries=8):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), headers=self.headers, method=method
        )
        for wait_sec in [min(2**n, 30) for n in range(tries)]:
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    text = answer.read()
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                problem = problem_of(error)
                if problem.get("code") == "lease_lost":
                    raise LeaseLost(problem["detail"]) from None
                if error.code not in (408, 429) and error.code < 500:
                    raise Refused(problem.get("detail", str(error))) from None
                wait_sec = int(error.headers.get("Retry-After") or wait_sec)
                say(f"the server answered {error.code}; again in {wait_sec} s")
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                say(f"the server cannot be reached ({error}); again in {wait_sec} s")
            time.sleep(wait_sec)
        raise Refused(f"{self.url} did not answer {tries} times")


def problem_of(error):
    try:
        return json.loads(error.read())
    except ValueError:
        return {}


class Page(HTMLParser):
    """The leads of a page, and whether another one follows."""

    def __init__(self, text):
        super().__init__()
        self.leads, self.has_next, self.lead = [], False, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "li" and attrs.get("class") == "lead":
            self.lead = {name: attrs.get(f"data-{name}") for name in ("phone", "trade", "city")}
        elif tag == "a" and attrs.get("rel") == "next":
            self.has_next = True

    def handle_data(self, data):
        if self.lead is not None:
            self.leads.append({**self.lead, "name": data.strip()})
            self.lead = None


def fetch(site, city, page):
    with urllib.request.urlopen(urljoin(site, f"/{quote(city)}?{urlencode({'page': page})}"), timeout=30) as answer:
        return Page(answer.read().decode())


def harvest(holdfast, pulled, options, stopping):
    """One job, from where the last report of it stood. The cursor always belongs to the items it is sent with."""
    asked = pulled["job"]["input"]
    page = (pulled["last_cursor"] or {"page": 1})["page"]
    items, reported_at = [], time.monotonic()
    while True:
        found = fetch(asked["site"], asked["city"], page)
        items += found.leads
        page += 1
        if not found.has_next:
            answer = holdfast.report(
                pulled, items=items, cursor={"page": page}, done=True, done_reason="no_more_results"
            )
            show(asked["city"], page, answer)
            return answer
        is_time = time.monotonic() - reported_at >= options.report_sec
        if len(items) >= options.report_items or is_time or stopping():
            answer = holdfast.report(pulled, items=items, cursor={"page": page}, extend_lease_sec=options.lease_sec)
            show(asked["city"], page, answer)
            items, reported_at = [], time.monotonic()
            # Enough leads may have come in: then the job is done, whatever else the site has.
            if answer["status"] != "processing" or stopping():
                return answer


def show(city, next_page, answer):
    say(f"{city} page {next_page - 1}: {answer['added']} new leads, {answer['result_count']} in all")


def work_on(holdfast, pulled, options, stopping):
    city = pulled["job"]["input"]["city"]
    say(f"{city}: attempt {pulled['job']['attempts']}, from page {(pulled['last_cursor'] or {'page': 1})['page']}")
    try:
        answer = harvest(holdfast, pulled, options, stopping)
    except (LeaseLost, Refused) as error:
        return say(f"{city}: dropped; {error}")
    except Exception as error:
        say(f"{city}: {error}")
        try:
            answer = holdfast.report(pulled, error=f"{type(error).__name__}: {error}", log=traceback.format_exc())
        except (LeaseLost, Refused) as refusal:
            return say(f"{city}: dropped; {refusal}")
    say(f"{city} is {answer['status']}" + (f": {answer['done_reason']}" if answer["done_reason"] else ""))


def say(text):
    print(text, flush=True)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default=os.environ.get("HOLDFAST_URL", "http://127.0.0.1:8080"))
    parser.add_argument("--queue", help="only this queue; all harvest queues if not given")
    parser.add_argument("--worker-id", default=f"{socket.gethostname()}-{os.getpid()}")
    parser.add_argument("--lease-sec", type=int, default=60)
    parser.add_argument("--report-items", type=int, default=50)
    parser.add_argument("--report-sec", type=float, default=10)
    parser.add_argument("--wait-sec", type=int, default=20, help="how long a pull waits for a job")
    parser.add_argument("--until-idle", action="store_true", help="end when nothing is due")
    parser.add_argument("--end-with-stdin", action="store_true", help="end when the process that started it is gone")
    return parser.parse_args(argv)


def end_with_stdin():
    """The process that started this one holds the other end: when nothing can be read any more, it is gone."""
    while os.read(0, 4096):
        pass
    os._exit(1)


def main(argv=None):
    options = parse(argv)
    # The key is not an option: every user of the machine can see those.
    holdfast = Holdfast(options.url, os.environ.get("HOLDFAST_KEY"), options.worker_id, options.queue)
    if options.end_with_stdin:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    asked_to_stop = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked_to_stop.append(True))
    while not asked_to_stop:
        try:
            pulled = holdfast.pull(options.lease_sec, 0 if options.until_idle else options.wait_sec)
        except Refused as error:
            sys.exit(str(error))
        if pulled is not None:
            work_on(holdfast, pulled, options, lambda: bool(asked_to_stop))
        elif options.until_idle:
            return


if __name__ == "__main__":
    main()
