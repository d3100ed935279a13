/** The key below a list that has more pages. */
import type { Pages } from '../api/pages.js'
import { Button } from './button.jsx'

export function More<Row>({ of }: { readonly of: Pages<Row> }) {
  if (!of.hasMore.value) return null
  return (
    <div class="table-more">
      <Button look="quiet" onClick={() => of.loadMore()}>
        Show more
      </Button>
    </div>
  )
}
