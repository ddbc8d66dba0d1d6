/** The README of a folder, and files of Markdown, AsciiDoc, RDoc, Org and Textile. */
import type { LocatedProject } from '../../../access/find.ts'
import { webUrl } from '../../../addresses/links.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { type Reader, renderTexts } from '../../../features/discussion/references/references.ts'
import { type Markup, markupOf } from '../../../features/instance/markdown/markdown.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import { textOf } from '../../../git/objects/text-of.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { proseHtml } from '../../frame/prose-html.ts'
import type { Place } from '../../project/address.ts'
import { fileName, folderOf, pathFrom } from './names.ts'

/** Longer ones are shown as source. */
const max_bytes = 256 * 1024

interface Readme {
  project: LocatedProject
  repo: Repo
  place: Place
  rows: readonly ListedEntry[]
  reader: Reader
}

/** Null if there is none. */
export async function readmeOf(app: App, { project, repo, place, rows, reader }: Readme): Promise<Html | null> {
  const listed = chosenReadme(rows)
  const entry = listed && (listed.mode === '120000' ? await followed(repo, place, listed) : listed)
  const info = entry && (await objectInfo(repo, entry.oid))
  if (!entry || !info) return null
  const address = addressAt(project.full_path, 'blob', place.revision, entry.path)
  const content =
    info.size > max_bytes
      ? html`<p><a href="${address}">Open ${fileName(entry.name)}</a></p>`
      : await contentOf(app, { project, repo, place, reader, entry })
  return html`
    <section class="file readme" aria-label="${entry.name}">
      <header><a href="${address}">${fileName(entry.name)}</a></header>
      <div class="prose">${content}</div>
    </section>
  `
}

/** Prefers Markdown, then other markup that can be rendered, then plain text. */
function chosenReadme(rows: readonly ListedEntry[]): ListedEntry | null {
  const readmes = rows.filter(({ type, name }) => type === 'blob' && /^readme(\.\w+)?$/i.test(name))
  return (
    readmes.find(({ name }) => markupOf(name) === 'markdown') ??
    readmes.find(({ name }) => markupOf(name) !== null) ??
    readmes.find(({ name }) => /^readme(\.(txt|rst))?$/i.test(name)) ??
    null
  )
}

/** The file of the same commit that a symbolic link leads to; null for another link, a folder, and what is outside. */
async function followed(repo: Repo, { commit }: Place, link: ListedEntry): Promise<ListedEntry | null> {
  const target = (await readBlob(repo, link.oid))?.data.toString('utf8') ?? ''
  const path = pathFrom(folderOf(link.path), target)
  const found = path === null ? null : await findEntry(repo, (await readCommit(repo, commit)).tree, path)
  return path !== null && found?.type === 'blob' && found.mode !== '120000' ? { ...found, path } : null
}

async function contentOf(app: App, { entry, ...rest }: Omit<Readme, 'rows'> & { entry: ListedEntry }): Promise<Html> {
  const text = textOf((await readBlob(rest.repo, entry.oid))?.data ?? Buffer.alloc(0))
  const markup = markupOf(entry.name)
  const rendered = markup && (await proseOfFile(app, { ...rest, path: entry.path, text, markup }))
  return rendered ?? html`<pre>${text}</pre>`
}

interface ProseFile extends Omit<Readme, 'rows'> {
  path: string
  text: string
  markup: Markup
}

/** A rendered file; null if it can't be rendered now. */
export async function proseOfFile(app: App, { place, reader, path, text, markup }: ProseFile): Promise<Html | null> {
  if (text.length > max_bytes) return null
  const home = { url: webUrl(app.config, reader.project.full_path), default_branch: place.revision, folder: folderOf(path) }
  const [rendered = null] = await renderTexts(app, reader, [text], { within_page: true, home, markup })
  return rendered === null ? null : proseHtml(app, rendered)
}
