#!/usr/bin/env python3
"""A small site to harvest: pages of made-up businesses, the same ones every time. Standard library only.

GET /<city>?page=<n>   one page of leads, with a link to the next page while there is one
GET /gone?page=<n>     a city whose pages are broken
"""
import argparse
import html
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

PAGES = 12
LEADS_ON_A_PAGE = 10
TRADES = ("Bakery", "Garage", "Florist", "Dentist", "Bookshop", "Plumber")


def lead(city, number):
    """Every tenth one is listed twice, as on a real site: the same phone, another spelling."""
    twin = number - 1 if number % 10 == 9 else number
    name = f"{city} {TRADES[twin % len(TRADES)]} {twin}"
    phone = f"+371 {sum(map(ord, city)) % 90 + 10} {twin:05d}"
    return (name.upper() if twin != number else name), phone


def page_of(city, page):
    first = (page - 1) * LEADS_ON_A_PAGE
    leads = (lead(city, number) for number in range(first, first + LEADS_ON_A_PAGE))
    items = "\n".join(
        f'<li class="lead" data-phone="{html.escape(phone)}">{html.escape(name)}</li>' for name, phone in leads
    )
    link = f'<a rel="next" href="/{quote(city)}?page={page + 1}">next</a>' if page < PAGES else ""
    return f"<!doctype html><title>{html.escape(city)}, page {page}</title>\n<ul>\n{items}\n</ul>\n{link}\n"


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        city = unquote(url.path).strip("/")
        page = parse_qs(url.query).get("page", ["1"])[0]
        if city == "gone":
            self.answer(500, "the database of this city is down\n")
        elif city == "" or not page.isdigit() or not 1 <= int(page) <= PAGES:
            self.answer(404, "there is no such page\n")
        else:
            self.answer(200, page_of(city, int(page)))

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8090)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Site)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
