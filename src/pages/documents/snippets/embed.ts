/** A script that shows a snippet on pages of other sites. */
import { snippetAddress, snippetFileAddress } from '../../../addresses/documents.ts'
import { pageUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Snippet } from '../../../db/tables.ts'
import { type DescribedSnippet, describeSnippets, filesOf } from '../../../features/snippets/snippets.ts'
import { html } from '../../../html/html.ts'

/** A script that writes the description, the files and the author into a page of another site. */
export async function embedScript(app: App, snippet: Snippet): Promise<string> {
  const [described] = await describeSnippets(app.db, [snippet])
  const { author, project_path } = described as DescribedSnippet
  const url = pageUrl(app.config, snippetAddress(snippet, project_path))
  const files = await filesOf(app.db, snippet.id)
  const content = html`<div class="gitstead-snippet">${files.map(
    ({ path, content }) => html`<p><a href="${snippetFileAddress(url, path)}">${path}</a></p><pre><code>${content}</code></pre>`,
  )}<p><a href="${url}">${snippet.title}</a> by ${author.name}</p></div>`
  // Escapes whatever would end a script or a line.
  const escaped = JSON.stringify(content.text).replace(
    /[<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `document.write(${escaped});\n`
}
