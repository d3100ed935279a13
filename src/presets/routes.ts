/** The endpoints of all presets, which the server mounts beside its own. Called once per server: some of them keep caches. */
import type { Route } from '../server/http/route.js'
import { crawlRoutes } from './crawl/routes.js'
import { scheduledRoutes } from './crawl/scheduled-routes.js'
import { harvestRoutes } from './harvest/routes.js'
import { targetRoutes } from './target/routes.js'

export function presetRoutes(): Route[] {
  return [...harvestRoutes(), ...crawlRoutes, ...scheduledRoutes, ...targetRoutes]
}
