/** The directory that the example lead-harvester harvests, for tests of workers. */
export { startSite } from '../../examples/lead-harvester/site.js'
