/** The text of docs/errors.md. */
export function errorsPage(
  errors: Record<string, { status: number; message: string; remedy: string }>,
): string
