// A handler in a thread of its own: what it measures reaches the worker's metrics by message.
export default async function apart({ measure }) {
  await measure.external('apart', 'call', async () => {})
}
