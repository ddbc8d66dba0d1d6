/** A snippet with its files, and what may be done with it. */
import type { ProjectAccess } from '../../../access/find.ts'
import { canChangeSnippet } from '../../../access/snippets.ts'
import type { App } from '../../../app.ts'
import type { Snippet, User } from '../../../db/tables.ts'
import {
  type Content,
  type DescribedSnippet,
  describeSnippets,
  filesOf,
  rawFilePath,
  snippetPath,
} from '../../../features/documents/snippets/snippets.ts'
import { webUrl } from '../../../links.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { dangerous, postButton } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, isolated } from '../../frame/parts.ts'
import { ago, count, size, visibilityOf } from '../../frame/phrases.ts'
import { proseOf } from '../../project/prose.ts'
import { codeOf, linesOf, plainLines } from '../../repository/files/code.ts'
import { descriptionOf } from '../../spaces/description.ts'
import { sentences } from './sentences.ts'

/** Of each file: more make a page that browsers take seconds for. */
const maxLines = 5_000

export type SeenSnippet = Visit & { snippet: Snippet; access: ProjectAccess | null; user: User | null }

/** Whether the viewer may edit and delete it: as the actions have it. */
export function mayChange({ snippet, access, user }: Pick<SeenSnippet, 'snippet' | 'access' | 'user'>): boolean {
  return canChangeSnippet(snippet, access, user) && !access?.project.archived
}

export async function snippetView(seen: SeenSnippet): Promise<Omit<View, 'above'>> {
  const { app, snippet, token } = seen
  const [described] = await describeSnippets(app.db, [snippet])
  const { author, project_path } = described as DescribedSnippet
  const files = await filesOf(app.db, snippet.id)
  const address = snippetPath(snippet, project_path)
  const isOpen = snippet.visibility === 'public' && (seen.access?.project.visibility ?? 'public') === 'public'
  const tools = mayChange(seen) && html`<a class="button" href="${address}/edit">Edit</a>`
  const removal =
    mayChange(seen) &&
    dangerous(
      'Delete this snippet',
      html`<p>${sentences.deletion}</p>${postButton('Delete snippet', { action: `${address}/remove`, token, kind: 'danger' })}`,
    )
  return {
    title: `${snippet.title} ($${snippet.id})`,
    main: html`<div class="heading"><h1>${isolated(snippet.title)} <span class="hint">$${snippet.id}</span></h1>${tools}</div>
<p class="hint">${visibilityOf(snippet.visibility)} Created ${ago(snippet.created_at)} by <a href="/${author.username}">${isolated(author.name)}</a>${
      snippet.updated_at !== snippet.created_at && html`, updated ${ago(snippet.updated_at)}`
    }</p>
${await descriptionIn(seen)}${files.map((file, index) => fileView(file, address, index))}
${isOpen && html`<details class="embed"><summary>Embed</summary><p class="hint">${sentences.embed}</p>${copyable('Script', `<script src="${webUrl(app.config, `${address.slice(1)}/embed.js`)}"></script>`)}</details>`}${removal}`,
  }
}

async function descriptionIn({ app, snippet, access, user, ip }: SeenSnippet): Promise<Html | null> {
  if (!access) return descriptionOf(app, snippet.description, user ? `user ${user.id}` : ip)
  const reader = { project: access.project, level: access.level, user, ip }
  return (await proseOf(app, reader, [snippet.description], sentences.tooLong))[0] ?? null
}

function fileView({ path, content }: Content, address: string, index: number): Html {
  const lines = linesOf(content)
  const first = `file-${index + 1}`
  const facts = `${count(lines.length, 'line')}, ${size(Buffer.byteLength(content))}`
  const left = lines.length > maxLines && html`<p class="empty">${sentences.linesLeftOut(maxLines, lines.length)}</p>`
  const raw = `${address}/${rawFilePath(path)}`
  // One file has lines that can be linked to.
  const code =
    index === 0
      ? codeOf(plainLines(lines.slice(0, maxLines)))
      : html`<pre class="code" tabindex="0">${lines.slice(0, maxLines).map((line) => html`<span>${line}\n</span>`)}</pre>`
  return html`<section class="file" id="${first}" aria-label="${path}"><header><h2>${isolated(path)}</h2> <span class="hint">${facts}</span>
<a class="button" href="${raw}">Raw</a></header>${code}${left}</section>`
}

/** The description, the files and who wrote it, as a script that writes them into a page of another site. */
export async function embedScript(app: App, snippet: Snippet): Promise<string> {
  const [described] = await describeSnippets(app.db, [snippet])
  const { author, project_path } = described as DescribedSnippet
  const url = webUrl(app.config, snippetPath(snippet, project_path).slice(1))
  const files = await filesOf(app.db, snippet.id)
  const content = html`<div class="gitstead-snippet">${files.map(
    ({ path, content }) => html`<p><a href="${url}/${rawFilePath(path)}">${path}</a></p><pre><code>${content}</code></pre>`,
  )}<p><a href="${url}">${snippet.title}</a> by ${author.name}</p></div>`
  // What ends a script or a line must not stand in it.
  const escaped = JSON.stringify(content.text).replace(
    /[<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `document.write(${escaped});\n`
}
