/** Texts administrators have written, and what is wrong with a form, as HTML. */
import type { Failure } from '../failure.ts'
import { Html } from './html.ts'

/** Markdown; null for none. What renders it is loaded at the first text there is: most of the time no page has one. */
export async function proseOf(text: string | null): Promise<Html | null> {
  if (text === null) return null
  const { renderMarkdown } = await import('../features/markdown/markdown.service.ts')
  return new Html(renderMarkdown(text))
}

/** A refusal of the domain, sentence by sentence. */
export function sentencesOf({ message, body }: Failure): string[] {
  const said = body.message
  if (typeof said !== 'object' || said === null) return [message]
  return Object.entries(said as Record<string, string[]>).flatMap(([field, complaints]) =>
    complaints.map((complaint) => `${field.charAt(0).toUpperCase()}${field.slice(1)} ${complaint}`),
  )
}
