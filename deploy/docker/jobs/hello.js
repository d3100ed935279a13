// The job of compose.yaml, to replace by yours:
//   docker compose -f deploy/docker/compose.yaml exec server holdfast enqueue hello greet '{"name": "Ada"}'
import { defineJob } from 'holdfast'

export const greet = defineJob({
  kind: 'greet',
  queue: 'hello',
  handler: async (_ctx, { name }) => ({ greeting: `Hello, ${name}!` }),
})
