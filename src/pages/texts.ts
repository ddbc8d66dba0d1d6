/** Texts of administrators, and errors of forms, as HTML. */
import type { Failure } from '../failure.ts'
import { renderProse } from '../features/instance/markdown/markdown.ts'
import { Html } from './html.ts'

/** Markdown; null for none. */
export async function proseOf(text: string | null): Promise<Html | null> {
  return text === null ? null : new Html(await renderProse(text))
}

/** The sentences of a failure. */
export function sentencesOf({ message, body }: Failure): string[] {
  const errors = body.message
  if (typeof errors !== 'object' || errors === null) return [message]
  return Object.entries(errors as Record<string, string[]>).flatMap(([field, fieldErrors]) =>
    fieldErrors.map((fieldError) => `${field.charAt(0).toUpperCase()}${field.slice(1)} ${fieldError}`),
  )
}
