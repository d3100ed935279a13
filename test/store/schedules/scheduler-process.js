// A scheduler as a process of its own: fires what is due, again and again, until it is told to stop. It runs the built package.
const { dist, url, schema, name } = JSON.parse(process.argv[2])
const { openStore } = await import(new URL('store.js', dist).href)

const store = await openStore({ url, schema, connections: 2, applicationName: name })
let stopping = false
process.on('message', () => {
  stopping = true
})
const told = { name, fired: 0, passes: 0, broken: 0, failures: [] }
process.send?.('ready')
while (!stopping) {
  try {
    const { fired, failures } = await store.scheduler.fireDue()
    told.fired += fired
    for (const { error } of failures) told.failures.push(String(error))
  } catch {
    // Its connection was cut: the next pass takes another.
    told.broken++
  }
  told.passes++
}
await store.close()
process.send?.(told, () => process.disconnect())
