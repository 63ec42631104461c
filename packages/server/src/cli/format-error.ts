import { AppError } from '../errors/app-error.ts'

export function formatError(error: unknown): string {
  if (error instanceof AppError && error.errors) {
    return error.errors.map(({ path, message }) => `${path}: ${message}`).join('\n')
  }
  return error instanceof Error ? error.message : String(error)
}
