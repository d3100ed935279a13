// The table of docs/dashboard.md that shows docs/proofs/dashboard-interaction.json.

export function interactionTable({ pages, machine, loadAverage, at }) {
  const rows = pages.map(
    ({ page, interactions, p50Ms, inpMs, worstMs, longestTaskMs, eventsPerSecond }) =>
      `| ${page} | ${eventsPerSecond} | ${interactions} | ${p50Ms} | ${inpMs} | ${worstMs} | ${longestTaskMs} |`,
  )
  return `| page | events a second | interactions | median ms | INP (98th percentile) ms | worst ms | longest task ms |
|---|---|---|---|---|---|---|
${rows.join('\n')}

Measured on ${at.slice(0, 10)} on ${machine.cores} cores (${machine.cpu}) shared by Postgres, the server, the load and the
browser; load average ${loadAverage}.`
}
