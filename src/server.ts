/** The server as a part of your own program: an app that listens when you say so. `holdfast server` is the same from the command line. */
export { SCOPES, type Scope } from './contract/endpoint.js'
export { buildServer, type ServerOptions } from './server/app.js'
export { HTTP_LIMITS, type HttpLimits } from './server/http/limits.js'
export { type Call, type Route, routes } from './server/http/route.js'
