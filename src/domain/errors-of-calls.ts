/** The part of the table of errors that only somebody who calls a server can meet. */
import type { ErrorEntry } from './errors.js'

export const CALL_ERRORS = {
  idempotency_in_flight: {
    status: 409,
    message: 'A request with this Idempotency-Key is being worked on.',
    remedy: 'Wait a moment and send it again: the answer will be that of the first one.',
  },
  server_unreachable: {
    status: 503,
    message: 'The server cannot be reached[: {problem}].',
    remedy: 'Check its address and that it runs; what is safe to repeat was tried several times.',
  },
  unauthorized: {
    status: 401,
    message: 'This call needs a valid key[: {problem}].',
    remedy: 'Send `Authorization: Bearer hf_…` with a live key; `holdfast keys create` makes one.',
  },
  scope_missing: {
    status: 403,
    message: 'This key may not do that[; it takes the scope "{scope}"].',
    remedy: 'Use a key that has the scope; `holdfast keys list` shows which key may do what.',
  },
  tenant_not_yours: {
    status: 403,
    message: 'This key acts for another tenant[ than "{tenant}"].',
    remedy:
      'Use a key of that tenant, or one made with `--every-tenant`; the tenant of a call comes from its key alone.',
  },
  cross_site: {
    status: 403,
    message: 'A page of another site asked a browser to make this call; it was not made.',
    remedy: 'Call from a page of this server, or from a program that is no browser.',
  },
  wrong_host: {
    status: 421,
    message: 'This server needs no key and therefore answers on this machine only[, not as "{host}"].',
    remedy: 'Call it as localhost or 127.0.0.1, or make a key with `holdfast keys create`.',
  },
  unknown_key: {
    status: 404,
    message: 'There is no live key[ {key}].',
    remedy: 'Check the id with `holdfast keys list`.',
  },
  key_name_taken: {
    status: 409,
    message: 'There is a live key[ named "{name}"] already.',
    remedy: 'Choose another name, or rotate the key.',
  },
  unknown_setting: {
    status: 404,
    message: 'There is no setting[ "{name}"][. Did you mean "{nearest}"?].',
    remedy: 'See the list of settings, or `holdfast settings list`.',
  },
  setting_overridden: {
    status: 409,
    message: 'The setting[ {name}] has another value[ because of {origin}], which wins over the database.',
    remedy: 'Take that away first, at this server and where workers run.',
  },
  unknown_route: {
    status: 404,
    message: 'There is nothing at this address[. Did you mean {nearest}?].',
    remedy: 'See /docs for what there is, or /openapi.json for a program.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This address takes other methods[ than {method}][: {allowed}].',
    remedy: 'Use one of the methods that the header Allow names; /docs shows what each does.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body is not JSON, or does not say so[: its type is {type}].',
    remedy: 'Send JSON with the header `Content-Type: application/json`.',
  },
  malformed_request: {
    status: 400,
    message: 'This is not a request that can be understood[: {problem}].',
    remedy: 'Check the client, or a proxy between it and this server.',
  },
  request_timeout: {
    status: 408,
    message: 'The request took too long to arrive.',
    remedy: 'Send it again; if this recurs, look at the network between client and server.',
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are larger than the limit headerBytesMax.',
    remedy: 'Send fewer or shorter headers.',
  },
  draining: {
    status: 503,
    message: 'This server is about to stop.',
    remedy: 'Try again in a moment: another one answers then, or this one after its restart.',
  },
} as const satisfies Record<string, ErrorEntry>
