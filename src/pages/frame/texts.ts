/** Texts written by administrators as HTML. */
import { renderProse } from '../../features/instance/markdown/markdown.ts'
import { Html } from '../../html/html.ts'

/** Markdown; null for none. */
export async function proseOf(text: string | null): Promise<Html | null> {
  return text === null ? null : new Html(await renderProse(text))
}
