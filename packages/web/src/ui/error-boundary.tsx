import { Component, type ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** Shown in place of what broke; `again` draws it anew. */
  fallback(again: () => void): ReactNode
  /** Another key draws anew: the person went elsewhere. */
  resetKey?: string
  children: ReactNode
}

interface ErrorBoundaryState {
  broken: boolean
  resetKey: string | undefined
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { broken: false, resetKey: this.props.resetKey }

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { broken: true }
  }

  static getDerivedStateFromProps(
    props: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return props.resetKey === state.resetKey ? null : { broken: false, resetKey: props.resetKey }
  }

  override render() {
    return this.state.broken
      ? this.props.fallback(() => this.setState({ broken: false }))
      : this.props.children
  }
}
