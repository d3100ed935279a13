/** A page that fails to render must not take the navigation with it: another page, or another try, is one click away. */
import { Component, type ComponentChildren } from 'preact'
import { asFailure } from '../api/problem.js'
import { ErrorState } from '../ui/loaded.jsx'

interface BoundaryState {
  readonly error: unknown
}

export class Boundary extends Component<{ readonly children: ComponentChildren }, BoundaryState> {
  override state: BoundaryState = { error: null }

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error }
  }

  override componentDidCatch(error: unknown): void {
    // For the person who is asked about it: the console has the stack.
    console.error(error)
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div class="panel">
        <ErrorState failure={asFailure(error)} retry={() => this.setState({ error: null })} />
      </div>
    )
  }
}
