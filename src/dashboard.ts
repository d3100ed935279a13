/** The dashboard as a part of your own program, behind its login. `holdfast dashboard` is the same from the command line. */
export type { Scope } from './contract/endpoint.js'
export {
  type DashboardHandler,
  type DashboardHost,
  type DashboardOptions,
  dashboard,
} from './server/mounted-dashboard.js'
export { type NodeListener, nodeListener } from './server/node-listener.js'
