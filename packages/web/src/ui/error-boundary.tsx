import { Component, type ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** `retry` renders the children again. */
  fallback(retry: () => void): ReactNode
  /** A new key renders the children again, for example after a navigation. Objects are compared by identity. */
  resetKey: unknown
  children: ReactNode
}

interface ErrorBoundaryState {
  broken: boolean
  resetKey: unknown
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
