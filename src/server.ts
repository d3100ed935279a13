/**
 * `holdfast/server`: the HTTP server for your own program, which you start with `listen`. `holdfast server`
 * runs the same from the command line.
 */
export { SCOPES, type Scope } from './contract/endpoint.js'
export { buildServer, type ServerOptions } from './server/app.js'
export { HTTP_LIMITS, type HttpLimits } from './server/http/limits.js'
export { type Call, type Route, routes } from './server/http/route.js'
